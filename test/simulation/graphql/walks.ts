import {
  type Connection,
  type GraphQLClient,
  type Page,
  SaasManagementError,
} from "@saas-management/sdk/graphql";
import { type Begun, begin, type CallerParts } from "./caller.js";
import type { Call } from "./journal.js";
import type { WalkSpec } from "./program.js";
import { CANARY, cursorAt } from "./service.js";

/** A walk, and the walks that continued it. */
export interface ObservedWalk {
  readonly spec: WalkSpec;
  readonly legs: WalkLeg[];
}

export interface WalkLeg {
  readonly call: Call;
  /** Ids of the yielded nodes, in order. */
  readonly ids: string[];
  readonly limit: number;
  ended: "under way" | "done" | "failed" | "left";
  /** Cursor of the last page, if the walk yields pages. */
  lastCursor?: string | undefined;
}

interface Node {
  readonly id: string;
}

const THINGS = `query Things($size: Int, $from: String, $back: Int, $until: String, $only: String) {
  workspace {
    things(first: $size, after: $from, last: $back, before: $until, only: $only) {
      nodes { id note }
      pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
    }
  }
}`;

interface Things {
  readonly workspace: {
    readonly things: {
      readonly nodes: readonly Node[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  };
}

/** Walks, and continues from where a walk failed or was left as often as the program says. */
export async function walk(spec: WalkSpec, parts: CallerParts): Promise<void> {
  const observed: ObservedWalk = { spec, legs: [] };
  parts.walks.push(observed);
  let cursor = spec.start === undefined ? undefined : cursorAt(spec.start);
  let limit = spec.limit ?? Number.POSITIVE_INFINITY;
  for (let resumes = 0; resumes <= spec.resumes; resumes += 1) {
    const kind = { kind: "walk", repeatable: true } as const;
    const begun = begin(parts, spec.limits, kind, spec.leaving?.how === "abort");
    const leg: WalkLeg = { call: begun.call, ids: [], limit, ended: "under way" };
    observed.legs.push(leg);
    const connection = connectionOf(parts.client, spec, begun, { cursor, limit });
    // Only the first is left early: the later ones show that nothing is lost.
    await walkLeg(connection, resumes === 0 ? spec : { ...spec, leaving: undefined }, leg, begun, parts);
    // With concurrent steps one may fail and a later one yield a page, so the error's position is older.
    const next = spec.width === 1 ? resumption(leg) : undefined;
    if (next === undefined) break;
    cursor = next.cursor;
    limit -= leg.ids.length;
  }
}

function connectionOf(
  client: GraphQLClient,
  { connection, direction, pageSize, prefetch }: WalkSpec,
  { call, options }: Begun,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Connection<Node> {
  const only = `${call.id} ${CANARY}`;
  const from = direction === "forward" ? "start" : "end";
  const bounds = Number.isFinite(limit) ? { limit } : {};
  const paging = { ...options, ...bounds, from, pageSize, cursor, prefetch } as const;
  if (connection === "licenses") return client.licenses({ ...paging, where: { id: { neq: only } } });
  const select = ({ workspace }: Things) => workspace.things;
  const variableNames = { first: "size", after: "from", last: "back", before: "until" } as const;
  return client.paginate(THINGS, { only }, { ...paging, select, variableNames });
}

/** Where another walk can continue, if it can. */
function resumption({ ended, lastCursor, call }: WalkLeg) {
  const last = call.failures.at(-1)?.error;
  if (ended === "failed" && last instanceof SaasManagementError && last.position !== undefined)
    return { cursor: last.position.cursor };
  // A blank cursor, which only a faulty service gives, is refused.
  return ended === "left" && lastCursor ? { cursor: lastCursor } : undefined;
}

async function walkLeg(
  connection: Connection<Node>,
  spec: WalkSpec,
  leg: WalkLeg,
  begun: Begun,
  parts: CallerParts,
): Promise<void> {
  if (spec.unit === "array") {
    const all = connection.toArray();
    begun.made();
    const outcome = await parts.journal.step(leg.call, all);
    leg.ids.push(...(outcome?.value ?? []).map(({ id }) => id));
    leg.ended = outcome === undefined ? "failed" : "done";
  } else if (spec.unit === "nodes") {
    await drive(connection[Symbol.asyncIterator](), spec, leg, begun, parts, ({ id }) => {
      leg.ids.push(id);
      leg.call.handed.nodes += 1;
    });
  } else {
    const pages = connection.pages()[Symbol.asyncIterator]();
    await drive(pages, spec, leg, begun, parts, (page) => takePage(page, spec, leg));
  }
  if (leg.call.forgotten !== true) parts.journal.settled(leg.call);
}

function takePage({ nodes, pageInfo }: Page<Node>, { direction }: WalkSpec, leg: WalkLeg): void {
  const isForward = direction === "forward";
  const ids = nodes.map(({ id }) => id);
  leg.ids.push(...(isForward ? ids : ids.reverse()));
  leg.call.handed.pages += 1;
  const more = isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
  const cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
  leg.lastCursor = more ? (cursor ?? undefined) : undefined;
}

/** Iterates as the program says. */
async function drive<T>(
  iterator: AsyncIterator<T, undefined, undefined>,
  { leaving, again, width, pauseMs }: WalkSpec,
  leg: WalkLeg,
  { call, abort, made }: Begun,
  { journal, clock }: CallerParts,
  take: (item: T) => void,
): Promise<void> {
  made();
  let failures = 0;
  let taken = 0;
  const leave = async () => {
    leg.ended = "left";
    const returned = journal.step<unknown>(call, iterator.return?.() ?? Promise.resolve());
    journal.givenUp(call, "after its loop was left");
    await returned;
  };
  for (;;) {
    const how = leaving !== undefined && taken >= leaving.after ? leaving.how : undefined;
    if (how === "forget") {
      call.forgotten = true;
      leg.ended = "left";
      return;
    }
    if (how === "break") return leave();
    if (how === "abort") abort();
    const steps = Array.from({ length: width }, () => journal.step(call, iterator.next()));
    const left = how === "cut" ? leave() : undefined;
    for (const step of steps) {
      const outcome = await step;
      if (outcome === undefined) failures += 1;
      else if (outcome.value.done !== true) {
        take(outcome.value.value);
        taken += 1;
      } else if (left === undefined) leg.ended = "done";
    }
    if (left !== undefined) return left;
    if (leg.ended === "done") return;
    if (failures > again) {
      // A later step may have yielded a page.
      if (width > 1) await journal.step<unknown>(call, iterator.return?.() ?? Promise.resolve());
      leg.ended = "failed";
      return;
    }
    if (pauseMs > 0) await clock.sleepElsewhere(pauseMs);
  }
}
