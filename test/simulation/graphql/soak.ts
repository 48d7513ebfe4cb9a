import fc from "fast-check";
import type { Tally } from "../tally.js";
import type { ScheduledFault } from "./faults.js";
import { graphqlViolations } from "./invariants.js";
import { program } from "./program-arbitrary.js";
import { simulate } from "./simulate.js";

/** The invariants of the GraphQL facade over random programs, which are counted. */
export function graphqlProperty(tally: Tally) {
  return fc.asyncProperty(program, async (drawn) => {
    const simulated = await simulate(drawn);
    const found = graphqlViolations(simulated);
    if (found.length > 0) throw new Error(found.join("; "));
    const { journal, walks, events, service, fired } = simulated;
    tally.add({
      requests: journal.requests.length,
      walks: walks.length,
      resumed: walks.reduce((sum, { legs }) => sum + legs.length - 1, 0),
      mutations: journal.calls.filter(({ kind }) => kind === "mutation").length,
      carriedOut: service.effects.size,
      retries: events.filter(({ hook }) => hook === "retry").length,
      failures: journal.calls.reduce((sum, { failures }) => sum + failures.length, 0),
    });
    tally.noteFaults(drawn.faults.map(nameOf), fired.map(nameOf));
  });
}

/** Names a fault by its target, kind and details. */
function nameOf({ asked, kind }: ScheduledFault): string {
  const { type, ...details } = kind;
  const shown = Object.entries(details).flatMap(([name, value]) =>
    ["status", "at", "what", "told", "data", "declared"].includes(name) ? [String(value)] : [],
  );
  return `${asked}: ${[type, ...shown].join(" ")}`;
}
