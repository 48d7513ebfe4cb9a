import type { InputIssue, SnapshotDiff } from "../../core/errors/index.js";
import type { CollectionInfo } from "../collections.js";
import { stringIn, truncateId } from "../encoding/record-id.js";
import type { EncodedRecord, RecordInspector } from "../encoding/record-inspector.js";
import { SnapshotIds } from "../guard/snapshot-ids.js";
import type { WriteStats } from "../write/options.js";
import { type ReferenceCheck, type ReferencedIds, referenceChecks } from "./references.js";
import type { CollectionPreview } from "./report.js";

/** Most repeated ids that are listed. */
const MAX_DUPLICATES = 20;

/** Inspects the records of one collection and notes their problems without ending the write. */
export class CollectionWatch implements RecordInspector {
  readonly #collection: CollectionInfo;
  readonly #ids: SnapshotIds;
  readonly #referencedIds: ReferencedIds;
  readonly #references: readonly ReferenceCheck[];
  readonly #maxIssues: number;
  readonly #issues: InputIssue[] = [];
  readonly #duplicates: string[] = [];
  different = 0;
  invalidRecords = 0;
  /** Whether the next issues are about an id that was refused, not an invalid record. */
  #refusedForId = false;

  constructor(
    collection: CollectionInfo,
    ids: SnapshotIds | undefined,
    referencedIds: ReferencedIds,
    maxIssues: number,
  ) {
    this.#collection = collection;
    this.#ids = ids ?? new SnapshotIds({ sampled: undefined, write: undefined, keyOf: undefined });
    this.#referencedIds = referencedIds;
    this.#references = referenceChecks(collection.name, referencedIds);
    this.#maxIssues = maxIssues;
  }

  inspect(encoded: EncodedRecord, record: unknown): string | undefined {
    if (this.#collection.idField !== undefined) {
      const before = this.#ids.duplicates;
      const refusal = this.#ids.inspect(encoded);
      if (refusal !== undefined) this.different += 1;
      if (refusal !== undefined || this.#ids.duplicates > before) this.#addDuplicate(record);
      // Of two events with one id, the service takes the last.
      if (refusal !== undefined && this.#collection.model === "snapshot") {
        this.#refusedForId = true;
        return refusal;
      }
      this.#referencedIds.add(this.#collection.name, encoded);
    }
    for (const reference of this.#references) {
      const id = stringIn(record, this.#collection, reference.field);
      if (id) reference.add(id);
    }
    return undefined;
  }

  invalid(issues: readonly InputIssue[]): void {
    if (!this.#refusedForId) {
      this.invalidRecords += 1;
      // References to an invalid record are not dangling: the record itself is to be corrected.
      const id = issues[0]?.id;
      if (id !== undefined) this.#referencedIds.addId(this.#collection.name, id);
    }
    this.#refusedForId = false;
    this.#issues.push(...issues.slice(0, this.#maxIssues - this.#issues.length));
  }

  preview(stats: WriteStats, diff: SnapshotDiff | undefined): CollectionPreview {
    return {
      stats,
      ...(diff === undefined ? {} : { diff }),
      issues: this.#issues,
      duplicates: this.#duplicates,
      dangling: this.#references
        .map(({ field, dangling }) => ({ field, count: dangling }))
        .filter(({ count }) => count > 0),
    };
  }

  #addDuplicate(record: unknown): void {
    const id = truncateId(stringIn(record, this.#collection) ?? "");
    if (this.#duplicates.length < MAX_DUPLICATES && !this.#duplicates.includes(id)) this.#duplicates.push(id);
  }
}
