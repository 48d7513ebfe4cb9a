import type {
  ConnectionFault,
  ConnectionFaultKind,
  ConnectionSchedule,
  Direction,
} from "./connection-faults.js";
import { SeededRandom } from "./fault-schedule.js";

/** Minimum bytes of a connection, by direction. */
export type Traffic = Readonly<Record<Direction, number>>;

export interface ConnectionScheduleOptions {
  readonly seed: number;
  /** Most connections to strike. */
  readonly most: number;
  /** Minimum traffic of the program's first call, and of any connection. */
  readonly call: Traffic;
  /** Traffic of the whole program over one connection. */
  readonly whole: Traffic;
  /** Which connections may be struck after their first call. */
  readonly deep: "any" | "last";
  /** The kinds after which the program reconnects. Others strike the last connection only. */
  readonly outlived: readonly ConnectionFaultKind["type"][];
}

/**
 * Draws faults that are all certain to strike. At most one strikes after the first call of its connection, because
 * the others leave the whole program to be run again.
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

/** One fault of each kind. */
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

/** Positions in the preface of HTTP/2 and in the first frame. */
const EDGES = [0, 1, 9, 23, 24, 28, 33] as const;

/** Half of the positions are edges. */
function byteWithin(carried: number, random: SeededRandom): number {
  const edge = random.pick(EDGES);
  const anywhere = random.below(carried);
  return random.pick([true, false]) && edge < carried ? edge : anywhere;
}
