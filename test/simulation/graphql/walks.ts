import {
  type Connection,
  type GraphQLClient,
  type Page,
  SaasManagementError,
} from "@saas-management/sdk/graphql";
import { GaveUp } from "../process-parts.js";
import type { Journal, ObservedWalk, WalkLeg } from "./journal.js";
import type { WalkSpec } from "./program.js";
import { cursorAt } from "./service.js";

interface Node {
  readonly id: string;
}

const THINGS = `query Things($size: Int, $from: String, $back: Int, $until: String, $only: String) {
  workspace {
    things(first: $size, after: $from, last: $back, before: $until, only: $only) {
      nodes { id }
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

/** Walks. Continues where a walk failed or was left, as often as the program says. Never rejects. */
export async function walk(spec: WalkSpec, client: GraphQLClient, journal: Journal): Promise<void> {
  const observed: ObservedWalk = { spec, legs: [] };
  journal.walks.push(observed);
  let cursor = spec.start === undefined ? undefined : cursorAt(spec.start);
  let limit = spec.limit ?? Number.POSITIVE_INFINITY;
  for (let resumes = 0; resumes <= spec.resumes; resumes += 1) {
    const leg = journal.begin(observed, limit);
    // Only the first walk is left early; the later ones show that nothing is lost.
    await new Leg(resumes === 0 ? spec : { ...spec, leaving: undefined }, leg, journal).run(client, cursor);
    // If a concurrent step yields a page after this one has failed, the error's position is out of date.
    const next = spec.width === 1 ? resumption(leg) : undefined;
    if (next === undefined) break;
    cursor = next.cursor;
    limit -= leg.ids.length;
  }
}

/** The position from which another walk can continue, if there is one. */
function resumption({ state, lastCursor, failures }: WalkLeg) {
  const last = failures.at(-1);
  if (state === "failed" && last instanceof SaasManagementError && last.position !== undefined)
    return { cursor: last.position.cursor };
  // A blank cursor, which only a faulty service gives, is refused.
  return state === "left" && lastCursor ? { cursor: lastCursor } : undefined;
}

/** One iteration that follows the program. */
class Leg {
  readonly #spec: WalkSpec;
  readonly #leg: WalkLeg;
  readonly #journal: Journal;
  readonly #controller = new AbortController();

  constructor(spec: WalkSpec, leg: WalkLeg, journal: Journal) {
    this.#spec = spec;
    this.#leg = leg;
    this.#journal = journal;
  }

  async run(client: GraphQLClient, cursor: string | undefined): Promise<void> {
    const { unit } = this.#spec;
    const leg = this.#leg;
    const journal = this.#journal;
    const connection = this.#connection(client, cursor);
    if (unit === "array") {
      const all = connection.toArray();
      this.#startTime();
      const outcome = await journal.step(leg, all);
      leg.ids.push(...(outcome?.value ?? []).map(({ id }) => id));
      leg.state = outcome === undefined ? "failed" : "done";
    } else if (unit === "nodes") {
      await this.#drive(connection[Symbol.asyncIterator](), ({ id }) => void leg.ids.push(id));
    } else await this.#drive(connection.pages()[Symbol.asyncIterator](), (page) => this.#takePage(page));
    if (leg.forgotten === true) return;
    leg.settled ??= journal.moment();
    journal.mustBeOver("after the walk has ended", leg);
  }

  #connection(client: GraphQLClient, cursor: string | undefined): Connection<Node> {
    const { connection, direction, pageSize, prefetch, timeoutMs, retries, abortAfterMs, leaving } =
      this.#spec;
    const { id, limit } = this.#leg;
    const { signal } = this.#controller;
    const isGiven = abortAfterMs !== undefined || leaving?.how === "abort";
    if (isGiven) this.#journal.observation.signals.push(signal);
    const paging = {
      signal: isGiven ? signal : undefined,
      timeoutMs,
      retry: retries === 0 ? (false as const) : { retries },
      headers: { "x-leg": id },
      ...(Number.isFinite(limit) ? { limit } : {}),
      from: direction === "forward" ? "start" : "end",
      pageSize,
      cursor,
      prefetch,
    } as const;
    if (connection === "licenses") return client.licenses({ ...paging, where: { id: { neq: id } } });
    const select = ({ workspace }: Things) => workspace.things;
    const variableNames = { first: "size", after: "from", last: "back", before: "until" } as const;
    return client.paginate(THINGS, { only: id }, { ...paging, select, variableNames });
  }

  /** Starts the timer that cancels the walk. Call this right after the walk's first call. */
  #startTime(): void {
    const { abortAfterMs } = this.#spec;
    if (abortAfterMs === 0) this.#abort();
    else if (abortAfterMs !== undefined) this.#journal.clock.elsewhere(abortAfterMs, () => this.#abort());
  }

  #abort(): void {
    if (this.#leg.settled !== undefined || this.#controller.signal.aborted) return;
    this.#controller.abort(new GaveUp());
    this.#givenUp("after its signal has aborted");
  }

  #givenUp(how: string): void {
    this.#leg.givenUp ??= this.#journal.moment();
    this.#journal.mustBeOver(how, this.#leg);
  }

  #takePage({ nodes, pageInfo }: Page<Node>): void {
    const leg = this.#leg;
    const isForward = this.#spec.direction === "forward";
    const ids = nodes.map(({ id }) => id);
    leg.ids.push(...(isForward ? ids : ids.reverse()));
    leg.pages += 1;
    const more = isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
    const cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
    leg.lastCursor = more ? (cursor ?? undefined) : undefined;
  }

  async #drive<T>(iterator: AsyncIterator<T, undefined, undefined>, take: (item: T) => void): Promise<void> {
    const { leaving, again, width, pauseMs } = this.#spec;
    const leg = this.#leg;
    const journal = this.#journal;
    this.#startTime();
    let failures = 0;
    let taken = 0;
    const leave = async () => {
      leg.state = "left";
      const returned = journal.step<unknown>(leg, iterator.return?.() ?? Promise.resolve());
      this.#givenUp("after its loop was left");
      await returned;
    };
    for (;;) {
      const how = leaving !== undefined && taken >= leaving.after ? leaving.how : undefined;
      if (how === "forget") {
        leg.forgotten = true;
        leg.state = "left";
        return;
      }
      if (how === "break") return leave();
      if (how === "abort") this.#abort();
      const steps = Array.from({ length: width }, () => journal.step(leg, iterator.next()));
      const left = how === "cut" ? leave() : undefined;
      for (const step of steps) {
        const outcome = await step;
        if (outcome === undefined) failures += 1;
        else if (outcome.value.done !== true) {
          take(outcome.value.value);
          taken += 1;
        } else if (left === undefined) leg.state = "done";
      }
      if (left !== undefined) return left;
      if (leg.state === "done") return;
      if (failures > again) {
        // With concurrent steps, a later one may have yielded a page.
        if (width > 1) await journal.step<unknown>(leg, iterator.return?.() ?? Promise.resolve());
        leg.state = "failed";
        return;
      }
      if (pauseMs > 0) await journal.clock.sleepElsewhere(pauseMs);
    }
  }
}
