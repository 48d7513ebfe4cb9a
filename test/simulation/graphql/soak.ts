import fc from "fast-check";
import type { Tally } from "../tally.js";
import type { ScheduledFault } from "./faults.js";
import { program } from "./program.js";
import { simulate } from "./simulate.js";
import { graphqlViolations } from "./violations.js";

/** The rules of the GraphQL client over random programs, which are counted. */
export function graphqlProperty(tally: Tally) {
  return fc.asyncProperty(program, async (drawn) => {
    const simulated = await simulate(drawn);
    const found = graphqlViolations(simulated);
    if (found.length > 0) throw new Error(found.join("; "));
    const { journal, walks, service, fired } = simulated;
    tally.add({
      requests: journal.requests.length,
      walks: walks.length,
      resumed: walks.reduce((sum, { legs }) => sum + legs.length - 1, 0),
      mutations: journal.calls.filter(({ kind }) => kind === "mutation").length,
      carriedOut: service.effects.size,
      failures: journal.calls.reduce((sum, { failures }) => sum + failures.length, 0),
    });
    tally.noteFaults(drawn.faults.map(nameOf), fired.map(nameOf));
  });
}

/** Names a fault by its target, kind and details. */
function nameOf({ asked, kind }: ScheduledFault): string {
  const { type, ...details } = kind;
  const shown = Object.entries(details).filter(
    ([name]) => !["retryAfter", "ms", "code", "text", "body"].includes(name),
  );
  return `${asked}: ${[type, ...shown.map(([, value]) => value)].join(" ")}`;
}
