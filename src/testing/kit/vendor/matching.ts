import type { Exchange, RecordedRequest, RecordedRun } from "../cassette/cassette.js";
import { bytesOf } from "../cassette/cassette.js";
import { isPlain, isTime, OWN, ownTag, wordsOf } from "../cassette/fakes.js";
import { leavesOf } from "../structure/json-path.js";
import { decoded, partsOf, type RequestPart } from "../structure/request-parts.js";

/**
 * How far a request is from the recorded one: equal (0), or different in values that change with each run (1) or with
 * each setup (2).
 */
type Distance = 0 | 1 | 2;

const VOLATILE_NAME =
  /(?:nonce|timestamp|signature|idempotencykey|requestid|correlationid|traceid|clientassertion|codechallenge|xamzdate|xamzcredential)$/;
const TIME_NAME =
  /^(?:ts|t|date|time|now|iat|exp|nbf|since|until|from|to|start|end|begin|after|before|min|max)$|(?:date|time|since|until|from|start|end|after|before|at)$/;
const TIME = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?/g;
/** Seconds and milliseconds since 1970, from 2001 on. */
const EPOCH = /^\d{10}(?:\d{3})?(?:\.\d+)?$/;
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi;
/** Shorter watermarks may be part of other values by chance. */
const SHORTEST_PART = 4;

/** Parts of a request by kind and name. */
type Parts = ReadonlyMap<string, RequestPart>;

const partsOfRequests = new WeakMap<RecordedRequest, Parts>();
const wordsOfRuns = new WeakMap<RecordedRun, ReadonlySet<string>>();

/**
 * Finds the recorded exchange for a request. Several exchanges for one request answer in turn; the last one
 * repeats.
 */
export class Matcher {
  readonly #asked = new Map<number, number>();

  /**
   * @param exchanges The exchanges to play: those of the run, or a copy changed by a fault.
   * @param watermarks The connector's watermarks: requests may differ where these occur.
   */
  constructor(
    readonly run: RecordedRun,
    readonly exchanges: readonly Exchange[],
    readonly watermarks: ReadonlySet<string>,
  ) {}

  /** @returns the exchange, and how often it answered before; undefined if no exchange matches the request */
  next(
    request: RecordedRequest,
  ): { readonly exchange: Exchange; readonly index: number; readonly repeat: number } | undefined {
    const index = this.#find(request);
    const exchange = index === undefined ? undefined : this.exchanges[index];
    if (index === undefined || exchange === undefined) return undefined;
    const repeat = this.#asked.get(index) ?? 0;
    this.#asked.set(index, repeat + 1);
    return { exchange, index, repeat };
  }

  #find(request: RecordedRequest): number | undefined {
    const found: number[][] = [[], [], []];
    for (const [index, exchange] of this.exchanges.entries()) {
      const distance = this.#distance(request, exchange.request);
      if (distance !== undefined) found[distance]?.push(index);
    }
    const [same = [], alike = [], similar = []] = found;
    for (const indexes of [same, alike]) if (indexes.length > 0) return this.#turn(indexes);
    const requests = new Set(similar.map((index) => keyOf(this.exchanges[index]?.request)));
    return requests.size === 1 ? this.#turn(similar) : undefined;
  }

  #turn(indexes: readonly number[]): number | undefined {
    return indexes.find((index) => !this.#asked.has(index)) ?? indexes.at(-1);
  }

  #distance(asked: RecordedRequest, recorded: RecordedRequest): Distance | undefined {
    if (asked.method !== recorded.method || originOf(asked) !== originOf(recorded)) return undefined;
    const [parts, others] = [partsBy(asked), partsBy(recorded)];
    let farthest: Distance = 0;
    for (const key of new Set([...parts.keys(), ...others.keys()])) {
      const distance = this.#between(parts.get(key), others.get(key));
      if (distance === undefined) return undefined;
      if (distance > farthest) farthest = distance;
    }
    return farthest;
  }

  #between(asked: RequestPart | undefined, recorded: RequestPart | undefined): Distance | undefined {
    if (asked !== undefined && recorded !== undefined) return this.#distanceOf(asked, recorded.value);
    const part = asked ?? recorded;
    // The first run has no watermark: it omits the parameter or sends it empty.
    const isNone = part === undefined || part.value === "" || part.value === "null";
    return part?.in !== "path" && (isNone || isTimeAt(part) || this.#isWatermark(part.value)) ? 2 : undefined;
  }

  #distanceOf(part: RequestPart, recorded: string): Distance | undefined {
    const { value } = part;
    if (value === recorded || recorded === "own") return 0;
    if (OWN.test(recorded) && recorded === ownTag(this.run.salt ?? "", value)) return 0;
    if (
      part.in !== "path" &&
      (isVolatile(part) || (isTimeAt(part) && isTimeAt({ ...part, value: recorded })))
    )
      return 1;
    if (OWN.test(recorded) || this.#isWatermark(value) || steady(value) === steady(recorded)) return 2;
    return this.#isOwn(value) && !isPlain(recorded) && !this.#isOwn(recorded) ? 2 : undefined;
  }

  #isWatermark(value: string): boolean {
    if (this.watermarks.has(value)) return true;
    return [...this.watermarks].some((mark) => mark.length >= SHORTEST_PART && value.includes(mark));
  }

  /** Whether a value comes from the connector itself, because recorded answers don't have all of its words. */
  #isOwn(value: string): boolean {
    if (isPlain(value) || this.run.kept?.includes(value) !== false) return false;
    const known = wordsOfRuns.get(this.run) ?? wordsIn(this.run);
    wordsOfRuns.set(this.run, known);
    return !wordsOf(value).every((word) => known.has(word));
  }
}

function wordsIn({ exchanges }: RecordedRun): ReadonlySet<string> {
  const texts = exchanges.flatMap(({ response: { body, headers } }) => [
    ...Object.values(headers),
    ...("json" in body ? [...leavesOf(body.json)].map(({ value }) => `${value}`) : [`${bytesOf(body)}`]),
  ]);
  return new Set(texts.flatMap(wordsOf));
}

function originOf({ url }: RecordedRequest): string {
  return new URL(url).origin;
}

function keyOf(request: RecordedRequest | undefined): string {
  return request === undefined ? "" : JSON.stringify([...partsBy(request)]);
}

function partsBy(request: RecordedRequest): Parts {
  const known = partsOfRequests.get(request);
  if (known !== undefined) return known;
  const parts = new Map<string, RequestPart>();
  for (const part of partsOf(request)) {
    let key = `${part.in} ${part.name}`;
    while (parts.has(key)) key += "+";
    // Clients differ in the characters that they escape.
    parts.set(key, part.in === "path" ? { ...part, value: decoded(part.value) } : part);
  }
  partsOfRequests.set(request, parts);
  return parts;
}

function folded({ in: where, name }: RequestPart): string {
  // If the last keys are list indexes, the name is the key before them.
  const own = where === "json" ? (name.split(".").findLast((key) => !/^\d+$/.test(key)) ?? "") : name;
  return own.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function isVolatile(part: RequestPart): boolean {
  return VOLATILE_NAME.test(folded(part)) || JWT.test(part.value);
}

function isTimeAt(part: RequestPart): boolean {
  return isTime(part.value) || (EPOCH.test(part.value) && TIME_NAME.test(folded(part)));
}

function steady(value: string): string {
  return value.replace(TIME, "*").replace(UUID, "*");
}
