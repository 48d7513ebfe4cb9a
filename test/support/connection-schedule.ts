import { SeededRandom } from "../../src/reference-server/faults/drawn-kinds.js";
import type {
  ConnectionFault,
  ConnectionFaultKind,
  ConnectionSchedule,
  Direction,
} from "./connection-fault.js";

/** Bytes that a connection carries at least, each way. */
export type Traffic = Readonly<Record<Direction, number>>;

/** What to draw a schedule from. */
export interface ConnectionScheduleOptions {
  /** The same seed and options give the same schedule. A whole number. */
  readonly seed: number;
  /** How many connections are struck at most, one after the other. */
  readonly most: number;
  /** What the program's first call carries that does not end it, and the least that any connection carries. */
  readonly call: Traffic;
  /** What all of the program carries over one connection. */
  readonly whole: Traffic;
  /** Which of the connections may be struck later than in its first call. */
  readonly deep: "any" | "last";
  /** The kinds after which the program makes another connection. Others strike the last one only. */
  readonly outlived: readonly ConnectionFaultKind["type"][];
}

/**
 * Draws faults of which each is sure to strike: at connections that are made, at bytes that come. Only one of them
 * strikes somewhere in the whole program, which is still to come where those before it were struck in its first call.
 */
export function connectionSchedule(options: ConnectionScheduleOptions): ConnectionSchedule {
  const { seed, most, call, whole, deep, outlived } = options;
  const random = new SeededRandom(seed);
  const count = 1 + random.below(most);
  const deepest = deep === "last" ? count : 1 + random.below(count);
  const faults: ConnectionFault[] = [];
  for (let nth = 1; nth <= count; nth++) {
    const kinds = kindsAt(nth === deepest ? whole : call, random);
    const [some, ...others] = nth === count ? kinds : kinds.filter(({ type }) => outlived.includes(type));
    if (some === undefined) break;
    faults.push({ nth, kind: random.pick([some, ...others]), atLeast: 1 });
  }
  return { seed, faults };
}

/** One of each kind, for a connection that carries so much. */
function kindsAt(traffic: Traffic, random: SeededRandom): ConnectionFaultKind[] {
  const direction = random.pick<Direction>(["request", "answer"]);
  const afterBytes = byteWithin(traffic[direction], random);
  return [
    { type: "silent" },
    { type: "reset", direction, afterBytes },
    { type: "half-open", direction, afterBytes },
    { type: "delay", direction, afterBytes, ms: random.pick([1, 1000, 30_000, 200_000]) },
    { type: "bandwidth", direction, afterBytes, bytesPerSecond: random.pick([50, 5000, 500_000]) },
  ];
}

/**
 * Where protocols change what they are at: nothing came, in and after the preface of HTTP/2, in the head of a frame.
 */
const EDGES = [0, 1, 9, 23, 24, 28, 33] as const;

/** Half of them at an edge, the others anywhere. */
function byteWithin(carried: number, random: SeededRandom): number {
  const edge = random.pick(EDGES);
  const anywhere = random.below(carried);
  return random.pick([true, false]) && edge < carried ? edge : anywhere;
}
