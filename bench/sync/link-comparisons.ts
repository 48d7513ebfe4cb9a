import type { Candidate, Column, Comparison } from "../harness/comparison.js";
import type { ComparisonsOf, Context } from "../harness/context.js";
import { LINK, run, type Work } from "./run.js";

const MIB = 1024 * 1024;
const US = "this SDK";

const COLUMNS: readonly Column[] = [
  { figure: "mbitPerSecond", head: "Mbit/s", digits: 1, ratio: true },
  { figure: "recordsPerSecond", head: "records/s", digits: 0, ratio: false },
  { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
];
/** Share of the link's bandwidth that snapshots have to reach. */
const SHARE = 0.85;
/** Enough to keep the link busy for eight seconds, so that encoding the first window hardly counts. */
const RECORDS = 1_000_000;
/** Fewer records wouldn't fill several windows. */
const LEAST_RECORDS = 400_000;

/** Writes over a link that's slower than this SDK, with windows of several sizes. */
export const linkComparisons: ComparisonsOf = (context) => [
  {
    ...overLink(context, "accounts", [
      { windowBytes: MIB },
      { windowBytes: 4 * MIB },
      { windowBytes: 16 * MIB },
    ]),
    id: "sync/link-snapshots",
    runs: "quick",
    targets: [{ figure: "mbitPerSecond", atLeast: SHARE * LINK.mbitPerSecond }],
  },
  {
    ...overLink(context, "usage", [{ messageBytes: 4 * MIB }, { messageBytes: 15 * MIB }]),
    id: "sync/link-events",
    runs: "full",
    targets: [],
    notes: [
      "A window of an event collection is one message: a refusal tells exactly which events were not taken.",
    ],
  },
];

function overLink(
  { servers, size }: Context,
  kind: Work["kind"],
  tunings: readonly Pick<Work, "messageBytes" | "windowBytes">[],
): Pick<Comparison, "title" | "subject" | "candidates" | "columns"> {
  const records = Math.max(LEAST_RECORDS, Math.ceil(RECORDS * size));
  const work: Work = { kind, text: "ascii", form: "array", over: "link", records };
  const tuned = tunings.map(
    (tuning): Candidate => ({
      name: [US, ...Object.entries(tuning).map(([name, bytes]) => `${name} ${bytes / MIB} MiB`)].join(", "),
      run: () => run(servers, "this SDK", { ...work, ...tuning }),
    }),
  );
  return {
    title: `${records} ${kind} over ${LINK.mbitPerSecond} Mbit/s with ${LINK.roundTripMs} ms round trip`,
    subject: US,
    candidates: [
      { name: US, run: () => run(servers, "this SDK", work) },
      ...tuned,
      { name: "ts-proto + zod, one stream", run: () => run(servers, "ts-proto + zod", work) },
    ],
    columns: COLUMNS,
  };
}
