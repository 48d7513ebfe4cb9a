/** Walks yield every row once and in order, also when another walk continues from a position. */
import { SaasManagementError } from "@saas-management/sdk/graphql";
import type { ConnectionName, Range } from "../program.js";
import type { Rows } from "../rows.js";
import type { Simulated } from "../simulate.js";
import type { ObservedWalk, WalkLeg } from "../walks.js";

export function brokenWalkRules({ walks, reads, service: { rows }, journal }: Simulated): string[] {
  const now = journal.moment().order;
  return [
    ...walks.flatMap((walk) => [...brokenOrder(walk, rows, now), ...walk.legs.flatMap(wrongPositions(walk))]),
    ...reads.flatMap(({ call, what, range }) => {
      const { value, begun, settled } = call;
      if (value === undefined) return [];
      const time = { from: begun.order, until: settled?.order ?? now };
      if (what === "count") return wrongCount(value, rows, time);
      const nodes = Array.isArray(value) ? value.map(String) : [];
      // A page has the service's order in both directions.
      const ids = range.direction === "forward" ? nodes : nodes.reverse();
      const limit = Math.min(range.limit ?? range.pageSize, range.pageSize);
      return brokenSequence(ids, { ...range, limit, whole: true }, rows, time);
    }),
  ];
}

interface Time {
  readonly from: number;
  readonly until: number;
}

function brokenOrder({ spec, legs }: ObservedWalk, rows: Rows, now: number): string[] {
  const [first] = legs;
  const last = legs.at(-1);
  if (first === undefined || last === undefined) return [];
  const ids = legs.flatMap((leg) => leg.ids);
  const time = { from: first.call.begun.order, until: last.call.settled?.order ?? now };
  const limit = spec.limit ?? Number.POSITIVE_INFINITY;
  return brokenSequence(ids, { ...spec, limit, whole: last.ended === "done" }, rows, time);
}

interface Sequence extends Pick<Range, "connection" | "direction" | "start"> {
  readonly limit: number;
  /** Whether only nodes beyond the limit may be missing at its end. */
  readonly whole: boolean;
}

function brokenSequence(ids: readonly string[], wanted: Sequence, rows: Rows, time: Time): string[] {
  const { connection, direction, limit, start, whole } = wanted;
  const found: string[] = [];
  // Backward, the same rules hold with the other sign.
  const sign = direction === "forward" ? 1 : -1;
  const keys = ids.map((id) => keyOf(id, connection) * sign);
  const { ever, always } = rows.during(time.from, time.until);
  if (keys.some((key, index) => !(key > (keys[index - 1] ?? Number.NEGATIVE_INFINITY))))
    found.push(`walk order: ${ids.join(", ")} are repeated or out of order`);
  if (keys.some((key) => !ever.has(key * sign)))
    found.push(`walk order: ${ids.join(", ")} did not all exist`);
  if (keys.length > limit)
    found.push(`walk limit: ${keys.length} nodes were yielded, at most ${limit} allowed`);
  const end =
    whole && keys.length < limit ? Number.POSITIVE_INFINITY : (keys.at(-1) ?? Number.NEGATIVE_INFINITY);
  const due = always
    .map((key) => key * sign)
    .filter((key) => key > (start === undefined ? Number.NEGATIVE_INFINITY : start * sign) && key < end);
  const missing = due.filter((key) => !keys.includes(key));
  if (missing.length > 0)
    found.push(`walk completeness: ${missing.join(", ")} are missing in ${ids.join(", ")}`);
  return found;
}

/** NaN for a node of another connection. The reference server prefixes ids with the kind. */
function keyOf(id: string, connection: ConnectionName): number {
  const own = id.slice(id.indexOf(":") + 1);
  return own.startsWith(`${connection}-`) ? Number(own.slice(connection.length + 1)) : Number.NaN;
}

function wrongCount(value: unknown, rows: Rows, { from, until }: Time): string[] {
  const { ever, always } = rows.during(from, until);
  const right = typeof value === "number" && value >= always.length && value <= ever.size;
  return right ? [] : [`walk count: ${value} for ${always.length} to ${ever.size} rows`];
}

/** Checks the position of an error, for walks that no other walk continues. */
function wrongPositions({ spec }: ObservedWalk) {
  return ({ ended, ids, call }: WalkLeg): string[] => {
    const error = call.failures.at(-1)?.error;
    // With concurrent steps a later one may have yielded more, and a cancelled walk has no position.
    if (ended !== "failed" || spec.width > 1 || call.givenUp !== undefined) return [];
    if (!(error instanceof SaasManagementError)) return [];
    const handed = spec.unit === "array" ? 0 : ids.length;
    const told = error.position?.nodesYielded;
    return told === handed ? [] : [`walk position: ${told} nodes reported of ${handed} (${error.code})`];
  };
}
