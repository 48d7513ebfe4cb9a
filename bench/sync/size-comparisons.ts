import type { Candidate, Column } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { run, type Work } from "./run.js";

const KIB = 1024;
const DEFAULT = "1024 KiB (default)";
/** Values of `messageBytes`, in KiB; the window is never smaller than a message. */
const SIZES = [64, 256, 512, 4 * KIB, 15 * KIB] as const;
const WINDOW_KIB = 6 * KIB;

const COLUMNS: readonly Column[] = [
  { figure: "recordsPerSecond", head: "records/s", digits: 0, ratio: true },
  { figure: "cpuMicrosPerRecord", head: "CPU µs a record", digits: 2, ratio: true },
  { figure: "loopDelayP99Ms", head: "loop delay p99 ms", digits: 0, ratio: false },
  { figure: "peakRssMiB", head: "peak RSS MiB", digits: 0, ratio: false },
];
const RECORDS = 1_000_000;

/** How message size affects throughput on loopback. */
export const sizeComparisons: ComparisonsOf = ({ servers, size }) => {
  const records = Math.ceil(RECORDS * size);
  const work: Work = { kind: "accounts", text: "ascii", form: "array", over: "loopback", records };
  const sized = SIZES.map(
    (kib): Candidate => ({
      name: `${kib} KiB`,
      run: () =>
        run(servers, "this SDK", {
          ...work,
          messageBytes: kib * KIB,
          windowBytes: Math.max(kib, WINDOW_KIB) * KIB,
        }),
    }),
  );
  return [
    {
      id: "sync/message-bytes",
      title: `${records} accounts in messages of several sizes, loopback`,
      runs: "full",
      subject: DEFAULT,
      candidates: [{ name: DEFAULT, run: () => run(servers, "this SDK", work) }, ...sized],
      columns: COLUMNS,
      targets: [],
    },
  ];
};
