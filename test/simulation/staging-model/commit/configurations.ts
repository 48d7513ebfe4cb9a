import type { Actor, Configuration } from "./configuration.js";

const run = (staged: number): Actor => ({ staged });
const FAULTS = { crashes: 1, lostAnswers: 1, pauses: 1 } as const;
/** Run 2 was opened when run 1 had read everything. */
const PIPELINED = [[], [1]] as const;
/** Both were opened before the other one had read everything. */
const OVERLAPPING = [[], []] as const;

/** What finishes in seconds. */
export const SMALL = {
  "1 committer": { actors: [run(1)], after: [[]], attempts: 2, ...FAULTS },
  "2 committers of a run": { actors: [run(1), run(1)], after: [[]], attempts: 2, ...FAULTS },
  "committer + plain run": { actors: [run(1), "plain"], after: [[]], attempts: 2, ...FAULTS },
  "2 plain runs": { actors: ["plain", "plain"], after: [], attempts: 2, ...FAULTS },
  "2 runs": { actors: [run(1), run(2)], after: PIPELINED, attempts: 2, ...FAULTS },
  "2 overlapping runs": { actors: [run(1), run(2)], after: OVERLAPPING, attempts: 2, ...FAULTS },
  "2 committers + discard": {
    ...{ actors: [run(1), run(1)], after: [[]], attempts: 2, ...FAULTS },
    ...{ discard: 1, fullDisks: 1 },
  },
} satisfies Record<string, Configuration>;

const PAIRS = {
  "crash, lost answer": { ...FAULTS, pauses: 0 },
  "crash, pause": { ...FAULTS, lostAnswers: 0 },
  "lost answer, pause": { ...FAULTS, crashes: 0 },
} as const;

const THREE: readonly { readonly name: string; readonly actors: readonly Actor[] }[] = [
  { name: "2 + 1 committers", actors: [run(1), run(1), run(2)] },
  { name: "1 + 2 committers", actors: [run(1), run(2), run(2)] },
  { name: "2 runs + plain run", actors: [run(1), run(2), "plain"] },
  { name: "2 committers + plain run", actors: [run(1), run(1), "plain"] },
];

/** What takes minutes, beside {@link SMALL}. */
export const LARGE: Readonly<Record<string, Configuration>> = {
  ...Object.fromEntries(
    THREE.flatMap(({ name, actors }) =>
      Object.entries(PAIRS).map(([faults, budget]) => [
        `${name}: ${faults}`,
        { actors, after: actors.some(isSecond) ? PIPELINED : [[]], attempts: 2, ...budget },
      ]),
    ),
  ),
  "2 runs: full disk too": { ...SMALL["2 runs"], fullDisks: 1 },
  "committer + plain run: full disk too": { ...SMALL["committer + plain run"], fullDisks: 1 },
  "2 runs: 2 crashes, 2 pauses": { ...SMALL["2 runs"], attempts: 3, crashes: 2, lostAnswers: 0, pauses: 2 },
  "committer + plain run: 2 crashes, 2 pauses": {
    ...{ ...SMALL["committer + plain run"], attempts: 3 },
    ...{ crashes: 2, lostAnswers: 0, pauses: 2 },
  },
  "2 overlapping runs: 2 pauses": { ...SMALL["2 overlapping runs"], attempts: 3, pauses: 2 },
};

function isSecond(actor: Actor): boolean {
  return actor !== "plain" && actor.staged === 2;
}
