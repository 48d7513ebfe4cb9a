import { type Fault, SYNC_OPERATIONS } from "../../src/reference-server/faults/fault.js";

/** Pseudorandom numbers that are the same for a seed on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<const T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** mulberry32, by Tommy Ettinger, in the public domain. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

type Severity = "transient" | "any";

export type Place = Pick<Fault, "on" | "nth" | "message">;

type Draw = (place: Place, random: SeededRandom) => Fault;

export function drawSchedule(seed: number, severity: Severity): readonly Fault[] {
  const random = new SeededRandom(seed);
  // A start whose answer is lost leaves the lock held: no client survives that.
  const start = severity === "any" ? { StartSyncBatch: 1 } : {};
  const calls = { ...start, SyncRecords: 1, CompleteSyncBatch: 1 };
  const draw = drawOf(severity);
  return [...drawFaults(random, { count: 2, calls, draw }), draw({ on: "graphql", nth: 1 }, random)];
}

/**
 * Draws faults at different places.
 * @param calls how many calls the program makes of each operation; each stream of SyncRecords has a message
 */
export function drawFaults(
  random: SeededRandom,
  options: {
    readonly count: number;
    readonly calls: Readonly<Record<string, number>>;
    readonly draw?: Draw;
  },
): readonly Fault[] {
  const { count, calls, draw = drawOf("transient") } = options;
  const places = Object.entries(calls).flatMap(([on, most]) =>
    Array.from({ length: most }, (_, index) => index + 1).flatMap((nth): Place[] => {
      const atMessage = on === "SyncRecords" ? [{ on, nth, message: 1 }] : [];
      return [{ on, nth }, ...atMessage];
    }),
  );
  return Array.from({ length: Math.min(count, places.length) }, () => {
    const [place] = places.splice(random.below(places.length), 1);
    return place === undefined ? [] : [draw(place, random)];
  }).flat();
}

export function drawOf(severity: Severity): Draw {
  return (place, random) => {
    const isSync = SYNC_OPERATIONS.some((operation) => operation === place.on);
    if (severity === "transient")
      return isSync ? transientSync(place, random) : transientGraphQL(place, random);
    return isSync ? anySync(place, random) : anyGraphQL(place, random);
  };
}

const MOMENTS = ["request", "answer"] as const;

function transientSync(place: Place, random: SeededRandom): Fault {
  const at = random.pick(MOMENTS);
  return random.pick<Fault>([
    { ...place, fault: "drop", at },
    { ...place, fault: "reset", at },
    // INTERNAL_ERROR, REFUSED_STREAM and CANCEL.
    { ...place, fault: "rst-stream", code: random.pick([2, 7, 8]), at },
    { ...place, fault: "goaway", grace: random.pick([true, false]), at },
    { ...place, fault: "status", status: "UNAVAILABLE", at },
  ]);
}

const REFUSALS = ["INVALID_ARGUMENT", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "INTERNAL"] as const;

function anySync(place: Place, random: SeededRandom): Fault {
  const at = random.pick(MOMENTS);
  return random.pick<Fault>([
    transientSync(place, random),
    { ...place, fault: "status", status: random.pick(REFUSALS), at },
    { ...place, fault: "lease-expiry", at },
    { ...place, fault: "lock-stolen", at },
    { ...place, fault: "revoke-key", at },
    place.message === undefined
      ? { ...place, fault: "oversized-answer" }
      : { ...place, fault: "early-answer", message: place.message, at },
  ]);
}

function transientGraphQL(place: Place, random: SeededRandom): Fault {
  const at = random.pick(MOMENTS);
  const headers = { "retry-after": random.pick(["0", "Thu, 01 Jan 1970 00:00:00 GMT"]) };
  return random.pick<Fault>([
    { ...place, fault: "drop", at },
    { ...place, fault: "reset", at },
    { ...place, fault: "http", status: random.pick([408, 429, 502, 503, 504]), headers, at },
  ]);
}

function anyGraphQL(place: Place, random: SeededRandom): Fault {
  const at = random.pick(MOMENTS);
  const headers = { "content-type": "application/json" };
  const status = random.pick([200, 400, 401, 403, 404, 413, 500]);
  return random.pick<Fault>([
    transientGraphQL(place, random),
    { ...place, fault: "http", status, headers, body: "{}", at },
    { ...place, fault: "http", status: 200 },
    { ...place, fault: "graphql-errors", data: random.pick(["none", "partial"]) },
    { ...place, fault: "truncated-body", ending: random.pick(["end", "close", "reset"]) },
    { ...place, fault: "revoke-key", at },
  ]);
}
