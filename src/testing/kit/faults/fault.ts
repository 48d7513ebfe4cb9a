import type { Collection } from "../../../sync/collections.js";
import type { Exchange } from "../cassette/cassette.js";
import type { VendorAnswer, VendorRequest } from "../vendor/answer.js";
import type { Change } from "../verdict/compare.js";
import type { View } from "./view.js";

/** What a row of the report says of its fault. */
export interface NamedFault {
  /** Stable, in kebab case: `status-500-last`. */
  readonly name: string;
  /** What happens, in a line: "page 2 answers 500 once". */
  readonly summary: string;
}

/** What misbehaves about the vendor, derived from a recording. */
export interface VendorFault extends NamedFault {
  /**
   * Applies the fault to a recording, for one run.
   * @returns undefined if the recording has nothing that it could strike
   */
  strike(recording: readonly Exchange[]): Struck | undefined;
  /** Differences from the clean run that follow from the vendor's own data, such as an item that it has under the fault only. */
  readonly excuses?: readonly Change["kind"][] | undefined;
}

/** A recording under a fault. */
export interface Struck {
  /** The exchanges that are played instead: the recording itself, or a changed copy. */
  readonly exchanges: readonly Exchange[];
  /**
   * Whether nothing but the guard can see it, because each answer is as valid as the recorded one: it does not apply to
   * connectors that declare no snapshot.
   */
  readonly seenByGuardOnly?: boolean | undefined;
  /**
   * Changes one answer. Returns the same object if it leaves it alone: what differs from the recording counts as struck.
   */
  answer?(answer: VendorAnswer, request: VendorRequest): VendorAnswer;
}

/** A fault of the catalogue, before it is planned for a recording. */
export interface FaultKind extends NamedFault, Pick<VendorFault, "excuses"> {
  plan(view: View): Plan | undefined;
}

export interface Plan extends Struck {
  /** Where it strikes, as in `page 2 of GET /users`. */
  readonly at: string;
}

/** Kinds of faults as rows of a table. */
export function kindsOf<Row extends readonly [name: string, where: unknown, summary: string, ...unknown[]]>(
  rows: readonly Row[],
  planOf: (view: View, row: Row) => Plan | undefined,
  excuses?: FaultKind["excuses"],
): readonly FaultKind[] {
  return rows.map((row) => ({ name: row[0], summary: row[2], excuses, plan: (view) => planOf(view, row) }));
}

/** What the clean run wrote, as plain objects. */
export type PlainRecords = { readonly [C in Collection]?: readonly object[] };

/** What misbehaves about a source of records, for connectors that do not use HTTP. */
export interface RecordFault extends NamedFault {
  /**
   * Applies the fault to what the clean run wrote.
   * @returns undefined if there is nothing that it could strike
   */
  strike(clean: PlainRecords): StruckRecords | undefined;
}

/** A block of records on its way into a write. */
export interface PassedBlock {
  readonly collection: Collection;
  readonly records: readonly object[];
  /** Index of the first record in its collection. */
  readonly index: number;
}

/** The records of one run under a fault. */
export interface StruckRecords {
  /** What is struck: `accounts, from record 7`. */
  readonly cause: string;
  /** Returns the records to pass on: the same array if the block is left alone. Throws if the source fails. */
  pass(block: PassedBlock): readonly object[];
  /** Records to add at the end of a collection. */
  end?(collection: Collection): readonly object[];
}
