/** A walk yields every row once and in order, also when another continues it, and requests pages as documented. */
import { SaasManagementError } from "@saas-management/sdk/graphql";
import type { SentRequest } from "./journal.js";
import type { WalkSpec } from "./program.js";
import type { Simulated } from "./simulate.js";
import type { ObservedWalk, WalkLeg } from "./walks.js";

export function walkViolations(
  { spec, legs }: ObservedWalk,
  { service, journal: { requests } }: Simulated,
): string[] {
  const ids = legs.flatMap((leg) => leg.ids);
  const expected = service.idsOf(spec);
  const due = legs.at(-1)?.ended === "done" ? expected : expected.slice(0, ids.length);
  return [
    ...(ids.join() === due.join() ? [] : [`walk: ${ids.join()} were yielded, and not ${due.join()}`]),
    ...legs.flatMap((leg) => [
      ...wrongPosition(spec, leg),
      ...brokenPaging(
        spec,
        leg,
        requests.filter(({ call }) => call === leg.call),
      ),
    ]),
  ];
}

function wrongPosition({ width, unit }: WalkSpec, { ended, ids, call }: WalkLeg): string[] {
  const error = call.failures.at(-1)?.error;
  // With concurrent steps a later one may have yielded more, and a cancelled walk has no position.
  if (ended !== "failed" || width > 1 || call.givenUp !== undefined) return [];
  if (!(error instanceof SaasManagementError)) return [];
  const handed = unit === "array" ? 0 : ids.length;
  const told = error.position?.nodesYielded;
  return told === handed ? [] : [`position: ${told} nodes reported of ${handed} (${error.code})`];
}

/** One page is requested at a time, at most one ahead, and none past the limit. */
function brokenPaging(
  { prefetch, unit, width, pageSize, direction }: WalkSpec,
  { call, limit }: WalkLeg,
  requests: readonly SentRequest[],
): string[] {
  const found: string[] = [];
  /** Number of nodes of each page, in the order of the walk, by its cursor. */
  const pages = new Map<string | undefined, number>();
  for (const [index, { page, nodes, handed, sent }] of requests.entries()) {
    const last = requests[index - 1];
    const isOver = last?.answered !== undefined && last.answered.order < sent.order;
    if (last !== undefined && last.signal?.aborted !== true && !isOver)
      found.push(`paging: ${call.id} has two running requests`);
    if (page?.direction !== direction) {
      found.push(`paging: ${call.id} requests no page in its direction`);
      continue;
    }
    if (!pages.has(page.cursor)) pages.set(page.cursor, 0);
    const before = [...pages.values()].slice(0, [...pages.keys()].indexOf(page.cursor));
    const left = limit - sum(before);
    if (page.size !== Math.min(pageSize, left))
      found.push(`limit: ${call.id} requests ${page.size} nodes, with ${left} left and ${pageSize} per page`);
    // Pages whose nodes must have been yielded before.
    const consumed = prefetch ? before.slice(0, -1) : before;
    const behind = {
      array: 0,
      nodes: sum(consumed) - handed.nodes,
      pages: consumed.length - handed.pages,
    }[unit];
    // With concurrent steps, completed ones may not be counted yet.
    if (behind > width - 1) found.push(`prefetch: ${call.id} requests a page ${behind} ${unit} too early`);
    if (nodes !== undefined) pages.set(page.cursor, nodes);
  }
  return found;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
