/** One page is prefetched at a time, and none past the limit. */
import type { SentRequest } from "../journal.js";
import type { Simulated } from "../simulate.js";
import type { ObservedWalk, WalkLeg } from "../walks.js";

export function brokenPrefetchRules({ walks, journal }: Simulated): string[] {
  return walks.flatMap((walk) =>
    walk.legs.flatMap((leg) => {
      const requests = journal.requests.filter(({ call }) => call === leg.call);
      return [...brokenAsking(walk, leg, requests), ...overlaps(leg, requests)];
    }),
  );
}

function brokenAsking({ spec }: ObservedWalk, leg: WalkLeg, requests: readonly SentRequest[]): string[] {
  const { prefetch, unit, width, pageSize, direction } = spec;
  const found: string[] = [];
  /** Number of nodes of each page, in the order of the walk, by its cursor. */
  const pages = new Map<string | undefined, number>();
  for (const { page, nodes, handed, sent } of requests) {
    if (page === undefined || page.direction !== direction) {
      found.push(`paging: ${leg.call.id} requests no page in its direction`);
      continue;
    }
    if (!pages.has(page.cursor)) pages.set(page.cursor, 0);
    const before = [...pages].slice(0, [...pages.keys()].indexOf(page.cursor)).map(([, count]) => count);
    const left = leg.limit - sum(before);
    if (page.size !== Math.min(pageSize, left))
      found.push(
        `limit: ${leg.call.id} requests ${page.size} nodes, with ${left} left and ${pageSize} per page`,
      );
    // Pages whose nodes must have been yielded before.
    const consumed = before.slice(0, before.length - (prefetch ? 1 : 0));
    const behind =
      unit === "nodes" ? sum(consumed) - handed.nodes : unit === "pages" ? consumed.length - handed.pages : 0;
    // With concurrent steps, completed ones may not be counted yet.
    if (behind > width - 1)
      found.push(
        `prefetch: ${leg.call.id} requests a page too early at ${sent.order}: ${behind} ${unit} behind`,
      );
    if (nodes !== undefined) pages.set(page.cursor, nodes);
  }
  return found;
}

/** Pages are requested one at a time. */
function overlaps({ call }: WalkLeg, requests: readonly SentRequest[]): string[] {
  return requests.flatMap(({ answered, signal }, index) => {
    const next = requests[index + 1];
    if (next === undefined || signal?.aborted === true) return [];
    const over = answered !== undefined && answered.order < next.sent.order;
    return over ? [] : [`prefetch: ${call.id} has two running requests`];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
