import type { InputIssue } from "../../core/errors/index.js";
import type { CollectionInfo } from "../collections.js";
import { stringIn, truncateId } from "../encoding/record-id.js";
import type { EncodedRecord, RecordObserver } from "../encoding/record-observer.js";
import { SnapshotIds } from "../guard/snapshot-ids.js";
import type { WriteStats } from "../write/outcomes.js";
import { type ReferenceCheck, type ReferencedIds, referenceChecks } from "./references.js";
import { type CollectionPreview, type DuplicateId, MAX_EXAMPLES, type SnapshotChanges } from "./report.js";

export interface CollectionWatchOptions {
  readonly collection: CollectionInfo;
  /** Collects the ids of a snapshot; undefined for events. */
  readonly ids: SnapshotIds | undefined;
  readonly referencedIds: ReferencedIds;
  readonly maxIssues: number;
}

/** Observes the records of one collection and notes their problems without ending the write. */
export class CollectionWatch implements RecordObserver {
  readonly #collection: CollectionInfo;
  readonly #ids: SnapshotIds;
  readonly #referencedIds: ReferencedIds;
  readonly #references: readonly ReferenceCheck[];
  readonly #maxIssues: number;
  readonly #issues: InputIssue[] = [];
  readonly #firstDuplicates: DuplicateId[] = [];
  #different = 0;
  #invalid = 0;
  /** Whether the next issues are about an id that was refused, not an invalid record. */
  #refusedForId = false;

  constructor({ collection, ids, referencedIds, maxIssues }: CollectionWatchOptions) {
    this.#collection = collection;
    this.#ids = ids ?? new SnapshotIds({ write: undefined, keyOf: undefined });
    this.#referencedIds = referencedIds;
    this.#references = referenceChecks(collection.name, referencedIds);
    this.#maxIssues = maxIssues;
  }

  observe(encoded: EncodedRecord, record: unknown): string | undefined {
    const { index } = encoded;
    if (this.#collection.idField !== undefined) {
      const before = this.#ids.duplicates;
      const refusal = this.#ids.observe(encoded);
      if (refusal !== undefined) this.#addDuplicate(record, index, "different");
      else if (this.#ids.duplicates > before) this.#addDuplicate(record, index, "same");
      // Of two events with one id, the service takes the last.
      if (refusal !== undefined && this.#collection.model === "snapshot") {
        this.#refusedForId = true;
        return refusal;
      }
      this.#referencedIds.add(this.#collection.name, encoded);
    }
    const describe = () => ({ id: this.#idOf(record), location: encoded.location });
    for (const reference of this.#references) {
      const id = stringIn(record, this.#collection, reference.field);
      if (id) reference.add(id, index, describe);
    }
    return undefined;
  }

  invalid(issues: readonly InputIssue[]): void {
    if (!this.#refusedForId) {
      this.#invalid += 1;
      // References to an invalid record are not dangling: the record itself is to be corrected.
      const id = issues[0]?.id;
      if (id !== undefined) this.#referencedIds.addId(this.#collection.name, id);
    }
    this.#refusedForId = false;
    this.#issues.push(...issues.slice(0, this.#maxIssues - this.#issues.length));
  }

  /** The result, after all records were written. */
  preview(
    { accepted, messages, bytes }: WriteStats,
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

  #addDuplicate(record: unknown, index: number, contents: DuplicateId["contents"]): void {
    if (contents === "different") this.#different += 1;
    if (this.#firstDuplicates.length < MAX_EXAMPLES)
      this.#firstDuplicates.push({ index, id: this.#idOf(record) ?? "", contents });
  }

  #idOf(record: unknown): string | undefined {
    const id = stringIn(record, this.#collection);
    return id === undefined ? undefined : truncateId(id);
  }
}
