import type { Connection, Page } from "@saas-management/sdk/graphql";
import { SaasManagementError } from "@saas-management/sdk/graphql";
import { connectionAt, type SimNode } from "./connections.js";
import type { Call } from "./journal.js";
import { begin, type CallerParts, type Cancellable } from "./parts.js";
import type { WalkSpec } from "./program.js";
import { cursorAt } from "./rows.js";

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

/** Walks, and continues from where a walk failed or was left as often as the program says. */
export async function walk(spec: WalkSpec, parts: CallerParts): Promise<void> {
  const observed: ObservedWalk = { spec, legs: [] };
  parts.walks.push(observed);
  let cursor = spec.start === undefined ? undefined : cursorAt(spec.start);
  let limit = spec.limit ?? Number.POSITIVE_INFINITY;
  for (let resumes = 0; resumes <= spec.resumes; resumes += 1) {
    const kind = { kind: "walk", repeatable: true, raw: false } as const;
    const begun = begin(parts, spec.limits, kind, spec.leaving?.how === "abort");
    const leg: WalkLeg = { call: begun.call, ids: [], limit, ended: "under way" };
    observed.legs.push(leg);
    const connection = connectionAt(parts.client, { ...spec, cursor }, begun.call.id, {
      ...begun.options,
      ...(Number.isFinite(limit) ? { limit } : {}),
      prefetch: spec.prefetch,
    });
    // Only the first is left early: the later ones show that nothing is lost.
    const leaving = resumes === 0 ? spec.leaving : undefined;
    await walkLeg(connection, { ...spec, leaving }, leg, begun, parts);
    // With concurrent steps one may fail and a later one yield a page, so the error's position is older.
    const next = spec.width === 1 ? resumption(leg) : undefined;
    if (next === undefined) break;
    cursor = next.cursor;
    limit -= leg.ids.length;
  }
}

/** Where another walk can continue, if it can. */
function resumption({
  ended,
  lastCursor,
  call,
}: WalkLeg): { readonly cursor: string | undefined } | undefined {
  const last = call.failures.at(-1)?.error;
  if (ended === "failed" && last instanceof SaasManagementError && last.position !== undefined)
    return { cursor: last.position.cursor };
  // A blank cursor, which only a faulty service gives, is refused.
  return ended === "left" && lastCursor ? { cursor: lastCursor } : undefined;
}

async function walkLeg(
  connection: Connection<SimNode>,
  spec: WalkSpec,
  leg: WalkLeg,
  begun: Cancellable,
  parts: CallerParts,
): Promise<void> {
  const { journal } = parts;
  if (spec.unit === "array") {
    const all = connection.toArray();
    begun.made();
    const outcome = await journal.step(leg.call, all);
    leg.ids.push(...(outcome?.value ?? []).map(({ id }) => id));
    leg.ended = outcome === undefined ? "failed" : "done";
  } else if (spec.unit === "nodes") {
    const nodes = connection[Symbol.asyncIterator]();
    begun.made();
    await drive(nodes, spec, leg, begun, parts, (node) => {
      leg.ids.push(node.id);
      leg.call.handed.nodes += 1;
    });
  } else {
    const pages = connection.pages()[Symbol.asyncIterator]();
    begun.made();
    await drive(pages, spec, leg, begun, parts, (page) => takePage(page, spec, leg));
  }
  if (leg.call.forgotten !== true) journal.settled(leg.call);
}

function takePage({ nodes, pageInfo }: Page<SimNode>, { direction }: WalkSpec, leg: WalkLeg): void {
  const forward = direction === "forward";
  const ids = nodes.map(({ id }) => id);
  leg.ids.push(...(forward ? ids : ids.reverse()));
  leg.call.handed.pages += 1;
  const cursor = forward ? pageInfo.endCursor : pageInfo.startCursor;
  leg.lastCursor = (forward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)
    ? (cursor ?? undefined)
    : undefined;
}

/** Iterates as the program says. */
async function drive<T>(
  iterator: AsyncIterator<T, undefined, undefined>,
  { leaving, again, width, pauseMs }: WalkSpec,
  leg: WalkLeg,
  { call, abort }: Cancellable,
  { journal, clock }: CallerParts,
  take: (item: T) => void,
): Promise<void> {
  let failures = 0;
  let taken = 0;
  const returned = () => journal.step<unknown>(call, iterator.return?.() ?? Promise.resolve());
  const late = (): boolean => leaving !== undefined && taken >= leaving.after;
  for (;;) {
    if (late() && leaving?.how === "forget") {
      call.forgotten = true;
      leg.ended = "left";
      return;
    }
    if (late() && leaving?.how === "break") {
      const gone = returned();
      journal.givenUp(call, "after its loop was left");
      await gone;
      leg.ended = "left";
      return;
    }
    if (late() && leaving?.how === "abort") abort();
    const steps = Array.from({ length: width }, () => journal.step(call, iterator.next()));
    if (late() && leaving?.how === "cut") {
      const gone = returned();
      journal.givenUp(call, "after its loop was left");
      await Promise.all([gone, ...steps.map((step) => step.then(noteNode(take)))]);
      leg.ended = "left";
      return;
    }
    for (const step of steps) {
      const outcome = await step;
      if (outcome === undefined) {
        failures += 1;
      } else if (outcome.value.done === true) {
        leg.ended = "done";
      } else {
        take(outcome.value.value);
        taken += 1;
      }
    }
    if (leg.ended === "done") return;
    if (failures > again) {
      // A later step may have yielded a page.
      if (width > 1) await returned();
      leg.ended = "failed";
      return;
    }
    if (pauseMs > 0) await clock.sleepElsewhere(pauseMs);
  }
}

/** Takes what a step yielded. */
function noteNode<T>(take: (item: T) => void) {
  return (outcome: { readonly value: IteratorResult<T, undefined> } | undefined) => {
    if (outcome !== undefined && outcome.value.done !== true) take(outcome.value.value);
  };
}
