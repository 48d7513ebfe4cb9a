import { count } from "../../../sync/report-text.js";
import type { CaseResult, CaseSetup } from "../case/setup.js";

/** A run that asks for so many times what was recorded does not end by itself. */
const TIMES = 20;
const MORE = 100;

/** Cuts off the requests of a run that asks for ever. */
export function limited(setup: CaseSetup): CaseSetup {
  const { recording, struck } = setup;
  if (recording === undefined) return setup;
  const most = limitOf(setup);
  return {
    ...setup,
    struck: {
      exchanges: struck?.exchanges ?? recording.exchanges,
      answer(planned, request) {
        const answer = struck?.answer?.(planned, request) ?? planned;
        return request.number > most ? { ...answer, cutAfter: -1 } : answer;
      },
    },
  };
}

/** Says so if the run met the limit. */
export function endlessOf(setup: CaseSetup, { requests }: CaseResult): string | undefined {
  if (setup.recording === undefined || requests.length <= limitOf(setup)) return undefined;
  return `does not end: asked ${count(limitOf(setup))} times for what was recorded in ${count(setup.recording.exchanges.length)} requests`;
}

function limitOf({ recording }: CaseSetup): number {
  return TIMES * (recording?.exchanges.length ?? 0) + MORE;
}
