import type { Runs, Target } from "../harness/comparison.js";
import type { ClientName } from "./clients.js";
import type { TextKind } from "./names.js";
import type { Kind } from "./records.js";
import { PYTHON_CLIENT, WAYS, type Way, type Work } from "./run.js";
import { SOURCE_FORMS, type SourceForm } from "./sources.js";

const CHECKED: ClientName = "ts-proto + zod";
const HURRIED: ClientName = "ts-proto + zod, in a hurry";
const KINDS = ["accounts", "licenses", "usage", "employees"] as const satisfies readonly Kind[];
const TEXTS = ["ascii", "mixed"] as const satisfies readonly TextKind[];

/** A case in which clients are compared. */
export interface Cell extends Omit<Work, "records" | "messageBytes" | "windowBytes"> {
  /** `sync/kind-text-form-way`. */
  readonly id: string;
  readonly runs: Runs;
  readonly targets: readonly Target[];
}

/** How late timers may be with default options, in milliseconds. */
const PROMPT: Target = { figure: "loopDelayP99Ms", atMost: 25 };

/** The targets of the cells in the quick form. */
const AIMS: Readonly<Record<string, readonly Target[]>> = {
  "sync/accounts-ascii-array-loopback": [
    { figure: "recordsPerSecond", against: CHECKED, atLeast: 3.5 },
    { figure: "recordsPerSecond", against: HURRIED, atLeast: 2.7 },
    { figure: "recordsPerSecond", against: PYTHON_CLIENT, atLeast: 20 },
    { figure: "cpuMicrosPerRecord", against: CHECKED, atMost: 0.28 },
    { figure: "cpuMicrosPerRecord", against: HURRIED, atMost: 0.35 },
    PROMPT,
  ],
  "sync/accounts-ascii-async-arrays-loopback": [
    { figure: "recordsPerSecond", against: CHECKED, atLeast: 3.3 },
    PROMPT,
  ],
  "sync/accounts-ascii-async-loopback": [
    { figure: "recordsPerSecond", against: CHECKED, atLeast: 2.3 },
    PROMPT,
  ],
  "sync/employees-ascii-array-loopback": [
    { figure: "recordsPerSecond", against: CHECKED, atLeast: 5 },
    PROMPT,
  ],
};

/** The full form adds each kind of record, text, source and link once. All combinations would take hours. */
const FULL: ReadonlySet<string> = new Set([
  "sync/accounts-mixed-array-loopback",
  "sync/accounts-ascii-array-tls",
  "sync/accounts-ascii-array-link",
  "sync/accounts-ascii-array-tls-link",
  "sync/licenses-ascii-array-loopback",
  "sync/licenses-mixed-async-arrays-tls",
  "sync/usage-ascii-array-loopback",
  "sync/usage-mixed-async-loopback",
  "sync/employees-mixed-array-loopback",
]);

/** Every combination of record, text, form of source and way to the server. */
export const MATRIX: readonly Cell[] = KINDS.flatMap((kind) =>
  TEXTS.flatMap((text) => SOURCE_FORMS.flatMap((form) => WAYS.map((over) => cellOf(kind, text, form, over)))),
);

function cellOf(kind: Kind, text: TextKind, form: SourceForm, over: Way): Cell {
  const id = `sync/${[kind, text, form, over].join("-").replaceAll(" ", "-").toLowerCase()}`;
  const targets = AIMS[id];
  const runs: Runs = targets !== undefined ? "quick" : FULL.has(id) ? "full" : "named";
  return { id, kind, text, form, over, runs, targets: targets ?? [] };
}
