import type { InputIssue } from "../../core/errors/index.js";
import type { Collection } from "../collections.js";
import { stringInVariant, truncateId } from "../encoding/record-id.js";
import type { EncodedRecord, RecordObserver } from "../encoding/record-observer.js";
import { SnapshotIds } from "../guard/snapshot-ids.js";
import type { WriteFigures } from "../write/outcomes.js";
import { MAX_EXAMPLES } from "./examples.js";
import { referenceIn, referencesOf } from "./record-references.js";
import { ReferenceCheck } from "./reference-check.js";
import type { ReferencedIds } from "./referenced-ids.js";
import type { CollectionPreview, DuplicateId, SnapshotChanges } from "./sync-preview.js";

/** What a watch needs. */
export interface CollectionWatchOptions {
  readonly collection: Collection;
  /** Takes down the ids of a snapshot; undefined for events. */
  readonly ids: SnapshotIds | undefined;
  readonly there: ReferencedIds;
  readonly maxIssues: number;
}

/** Watches the records of one collection go by: takes down what is wrong with them, and lets the write go on. */
export class CollectionWatch implements RecordObserver {
  readonly #collection: Collection;
  readonly #ids: SnapshotIds;
  readonly #there: ReferencedIds;
  readonly #references: readonly ReferenceCheck[];
  readonly #maxIssues: number;
  readonly #issues: InputIssue[] = [];
  readonly #firstDuplicates: DuplicateId[] = [];
  #different = 0;
  #invalid = 0;
  /** Whether the record of the next issues is refused for its id alone. */
  #refusedForId = false;

  constructor({ collection, ids, there, maxIssues }: CollectionWatchOptions) {
    this.#collection = collection;
    this.#ids = ids ?? new SnapshotIds({ write: undefined, keyOf: undefined });
    this.#there = there;
    this.#references = referencesOf(collection.name).map((reference) => new ReferenceCheck(reference, there));
    this.#maxIssues = maxIssues;
  }

  observe(encoded: EncodedRecord, record: unknown): string | undefined {
    const { index } = encoded;
    if (this.#collection.idField !== undefined) {
      const { duplicates } = this.#ids;
      const refusal = this.#ids.observe(encoded);
      if (refusal !== undefined) this.#different += 1;
      if (refusal !== undefined || this.#ids.duplicates > duplicates)
        this.#noteDuplicate(record, index, refusal === undefined ? "same" : "different");
      // The service takes the last of two events with one id: only a snapshot is refused.
      if (refusal !== undefined && this.#collection.model === "snapshot") {
        this.#refusedForId = true;
        return refusal;
      }
      this.#there.add(this.#collection.name, encoded);
    }
    const describe = () => ({ id: this.#idOf(record), location: encoded.location });
    for (const reference of this.#references) {
      const id = referenceIn(record, reference.field);
      if (id !== undefined) reference.see(id, index, describe);
    }
    return undefined;
  }

  invalid(issues: readonly InputIssue[]): void {
    if (this.#refusedForId) this.#refusedForId = false;
    else this.#noteInvalid(issues);
    this.#issues.push(...issues.slice(0, this.#maxIssues - this.#issues.length));
  }

  /** What came of it, when everything was written. */
  preview(
    { accepted, messages, bytes }: WriteFigures,
    changes: SnapshotChanges | undefined,
  ): CollectionPreview {
    const duplicates = {
      same: this.#ids.duplicates,
      different: this.#different,
      first: this.#firstDuplicates,
    };
    return {
      records: accepted,
      messages,
      bytes,
      invalid: this.#invalid,
      issues: this.#issues,
      duplicates: this.#collection.idField !== undefined ? duplicates : undefined,
      references: this.#references.map((reference) => reference.preview()),
      changes,
    };
  }

  #noteInvalid([first]: readonly InputIssue[]): void {
    this.#invalid += 1;
    // What refers to an invalid record does not dangle: there is one thing to put right.
    if (first?.id !== undefined) this.#there.addText(this.#collection.name, first.id);
  }

  #noteDuplicate(record: unknown, index: number, contents: DuplicateId["contents"]): void {
    if (this.#firstDuplicates.length < MAX_EXAMPLES)
      this.#firstDuplicates.push({ index, id: this.#idOf(record) ?? "", contents });
  }

  #idOf(record: unknown): string | undefined {
    const { idField } = this.#collection;
    const id = idField === undefined ? undefined : stringInVariant(record, idField);
    return id === undefined ? undefined : truncateId(id);
  }
}
