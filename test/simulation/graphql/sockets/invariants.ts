import { brokenCancellationRules } from "../invariants/cancellation.js";
import { brokenTraceRules } from "../invariants/traces.js";
import { brokenWalkRules } from "../invariants/walks.js";
import type { Simulated } from "../simulate.js";

/** The violations of a program over sockets, of the rules that do not need to know each answer. */
export function socketViolations(simulated: Simulated): readonly string[] {
  return [
    ...brokenWalkRules(simulated),
    ...repeatedMutations(simulated),
    ...brokenCancellationRules(simulated),
    ...brokenTraceRules(simulated),
  ];
}

/** No key is refused in these programs, so a mutation is never sent again. */
function repeatedMutations({ journal: { calls, requests } }: Simulated): readonly string[] {
  return calls.flatMap(({ id, kind, repeatable }) => {
    const sent = requests.filter(({ call }) => call.id === id).length;
    const wrong = kind === "mutation" && !repeatable && sent > 1;
    return wrong ? [`mutation once: ${id} was sent ${sent} times`] : [];
  });
}
