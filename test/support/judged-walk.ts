import type { GraphQLClient } from "@saas-management/sdk/graphql";
import { expect } from "vitest";
import { type Outcome, outcomeOf } from "./outcome.js";
import type { Settle } from "./stepped-clock.js";

/** Applications of a server whose pages are walked through, in the order of their names, as pages have them. */
export const APPLICATIONS = [..."ABCDEFGHIJKLMNOPQRST"].map((letter) => ({ name: `Application ${letter}` }));

/** Requests of a walk of which none has to be repeated. */
export const PAGES = 4;

/** Walks through the {@link APPLICATIONS}: whatever happens, what comes is right as far as it goes. */
export async function judgedWalk(client: GraphQLClient, settle: Settle): Promise<Outcome> {
  const names: (string | undefined)[] = [];
  const read = async () => {
    for await (const node of client.applications({ first: APPLICATIONS.length / PAGES })) {
      names.push(node.application?.name);
    }
  };
  const outcome = outcomeOf(await settle(read()));
  const right = APPLICATIONS.map(({ name }) => name);
  expect(names, outcome).toEqual(outcome === "done" ? right : right.slice(0, names.length));
  return outcome;
}
