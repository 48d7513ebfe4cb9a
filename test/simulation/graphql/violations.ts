/** Checks what must be true after every program, with any faults. */
import { getEventListeners } from "node:events";
import { SaasManagementError } from "@saas-management/sdk/graphql";
import { GaveUp } from "../process-parts.js";
import type { ObservedWalk, SentRequest, WalkLeg } from "./journal.js";
import type { WalkSpec } from "./program.js";
import type { Simulated } from "./simulate.js";

/** @returns the violations, each a sentence that begins with the rule's name; empty if all is well */
export function graphqlViolations(simulated: Simulated): readonly string[] {
  const { journal } = simulated;
  return [
    ...journal.misdeeds,
    ...journal.walks.flatMap((walk) => brokenWalks(walk, simulated)),
    ...unwantedRequests(simulated),
    ...leftovers(simulated),
    ...strangers(simulated),
  ];
}

/** A walk yields every row once and in order, even when another continues it, and requests pages as documented. */
function brokenWalks({ spec, legs }: ObservedWalk, { service, journal }: Simulated): string[] {
  const ids = legs.flatMap((leg) => leg.ids);
  const expected = service.idsOf(spec);
  const due = legs.at(-1)?.state === "done" ? expected : expected.slice(0, ids.length);
  return [
    ...(ids.join() === due.join() ? [] : [`walk: ${ids.join()} were yielded, and not ${due.join()}`]),
    ...legs.flatMap((leg) => wrongPosition(spec, leg)),
    ...legs.flatMap((leg) =>
      brokenPaging(
        spec,
        leg,
        journal.requests.filter((request) => request.leg === leg),
      ),
    ),
  ];
}

function wrongPosition({ width, unit }: WalkSpec, { state, ids, failures, givenUp }: WalkLeg): string[] {
  const error = failures.at(-1);
  // With concurrent steps, a later step may have yielded more. A cancelled walk has no position.
  if (state !== "failed" || width > 1 || givenUp !== undefined) return [];
  if (!(error instanceof SaasManagementError)) return [];
  const handed = unit === "array" ? 0 : ids.length;
  const told = error.position?.nodesYielded;
  return told === handed ? [] : [`position: ${told} nodes reported of ${handed} (${error.code})`];
}

/** Pages are requested one at a time, at most one page ahead, and none past the limit. */
function brokenPaging(
  { prefetch, unit, width, pageSize, direction }: WalkSpec,
  { id, limit }: WalkLeg,
  requests: readonly SentRequest[],
): string[] {
  const found: string[] = [];
  /** Number of nodes of each page by its cursor, in the order of the walk. */
  const pages = new Map<string | undefined, number>();
  for (const [index, { page, nodes, handed, sent }] of requests.entries()) {
    const last = requests[index - 1];
    const isOver = last?.answered !== undefined && last.answered < sent;
    if (last !== undefined && last.signal?.aborted !== true && !isOver)
      found.push(`paging: ${id} has two running requests`);
    if (page.direction !== direction) {
      found.push(`paging: ${id} requests no page in its direction`);
      continue;
    }
    if (!pages.has(page.cursor)) pages.set(page.cursor, 0);
    const before = [...pages.values()].slice(0, [...pages.keys()].indexOf(page.cursor));
    const left = limit - sum(before);
    if (page.size !== Math.min(pageSize, left))
      found.push(`limit: ${id} requests ${page.size} nodes, with ${left} left and ${pageSize} per page`);
    // Pages whose nodes must have been yielded before this request.
    const consumed = prefetch ? before.slice(0, -1) : before;
    const behind = {
      array: 0,
      nodes: sum(consumed) - handed.nodes,
      pages: consumed.length - handed.pages,
    }[unit];
    // If steps are concurrent, some completed steps may not have been counted yet.
    if (behind > width - 1) found.push(`prefetch: ${id} requests a page ${behind} ${unit} too early`);
    if (nodes !== undefined) pages.set(page.cursor, nodes);
  }
  return found;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** No request is sent after close(), or for a walk that has ended or was cancelled. */
function unwantedRequests({ journal: { requests, closing } }: Simulated): string[] {
  return requests.flatMap(({ leg, sent, signal }) => {
    const ends = { "was given up": leg.givenUp, "had ended": leg.settled, "was closed": closing };
    const late = Object.entries(ends).flatMap(([what, moment]) =>
      moment !== undefined && sent > moment ? [what] : [],
    );
    const found = signal ? late : [...late, "has no signal"];
    return found.map((what) => `cancellation: a request of ${leg.id} was sent, which ${what}`);
  });
}

function leftovers({ settled, unhandled, journal, leftBeforeClose }: Simulated): string[] {
  const { observation, clock, legs, requests } = journal;
  if (!settled || observation.pending > 0) return [`leftovers: ${observation.pending} calls never settled`];
  const isForgotten = legs.some(({ forgotten }) => forgotten === true);
  const left = {
    timers: Math.max(clock.waiting, isForgotten ? 0 : leftBeforeClose),
    "listeners on callers' signals": observation.signals.flatMap((one) => getEventListeners(one, "abort"))
      .length,
    "bodies neither read nor cancelled": requests.filter(({ bodyOpen }) => bodyOpen).length,
    "unhandled rejections": unhandled.length,
  };
  return Object.entries(left).flatMap(([what, count]) =>
    count > 0 ? [`leftovers: ${count} ${what} ${unhandled}`] : [],
  );
}

/** Every error is an SDK error with a code, or the reason of a cancellation. */
function strangers({ journal: { observation } }: Simulated): string[] {
  return observation.told
    .filter((told) => told instanceof Error && !(told instanceof GaveUp))
    .filter((error) => !(error instanceof SaasManagementError))
    .map((error) => `strangers: ${error instanceof Error ? error.stack : error}`);
}
