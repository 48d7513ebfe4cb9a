import { brokenCancellationRules } from "../invariants/cancellation.js";
import { brokenTraceRules } from "../invariants/traces.js";
import { brokenWalkRules } from "../invariants/walks.js";
import type { Simulated } from "../simulate.js";

/** The violations of a program over sockets: of those rules that need not know what each answer was. */
export function socketViolations(simulated: Simulated): readonly string[] {
  return [
    ...brokenWalkRules(simulated),
    ...repeatedMutations(simulated),
    ...brokenCancellationRules(simulated),
    ...brokenTraceRules(simulated),
  ];
}

/** No key is refused in these programs, so nothing makes it safe to send a mutation again. */
function repeatedMutations({ journal: { calls, requests } }: Simulated): readonly string[] {
  return calls.flatMap(({ id, kind, repeatable }) => {
    const sent = requests.filter(({ call }) => call.id === id).length;
    const wrong = kind === "mutation" && !repeatable && sent > 1;
    return wrong ? [`mutation once: ${id} was sent ${sent} times`] : [];
  });
}
