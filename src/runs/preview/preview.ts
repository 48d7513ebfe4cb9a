import { linkAbort, raceAbort } from "../../core/abort.js";
import type { InputIssue, SnapshotDiff } from "../../core/errors/index.js";
import {
  type Collection,
  type CollectionInfo,
  type SnapshotCollection,
  stringIn,
  truncateId,
} from "../../sync/collections.js";
import type { EncodedRecord, RecordInspector } from "../../sync/encoding/record-inspector.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { counted, withText } from "../../sync/report-text.js";
import type { WriteStats } from "../../sync/write/options.js";
import type { Connector } from "../connector.js";
import { EventMemory } from "../events.js";
import { Extraction } from "../extraction.js";
import { Guard } from "../guard/guard.js";
import { describeHeld } from "../guard/held-report.js";
import { SnapshotIds } from "../guard/snapshot-ids.js";
import { type LedgerSnapshot, NOTHING_SEEN, readLedger } from "../ledger/state.js";
import type { PreviewOptions, ResolvedRunOptions } from "../options.js";
import { usualOf } from "../receipt.js";
import { type ReferenceCheck, ReferencedIds, referenceChecks } from "./references.js";
import { type CollectionPreview, linesOf, type RunPreview } from "./report.js";

/** Extracts and judges as a run does, but stores and sends nothing. Its options have already been checked. */
export async function previewRun(
  connector: Connector<SnapshotCollection>,
  options: PreviewOptions & Pick<ResolvedRunOptions, "installationId" | "ledger" | "onProgress">,
  client: SyncConfiguration,
  clientClosed: AbortSignal,
): Promise<RunPreview> {
  const { installationId, onProgress, maxIssues = 100 } = options;
  const { snapshots } = connector;
  // The client's hooks report calls, and a preview makes none.
  const configuration = { ...client, isTraced: false };
  const { controller, unlink } = linkAbort(options.signal, clientClosed);
  const { signal } = controller;
  try {
    const guard = new Guard(options, snapshots, configuration, signal);
    const seen = await raceAbort(seenBy(guard), signal);
    await guard.checkLedger(seen);
    const referencedIds = new ReferencedIds(snapshots);
    const watches = new Map<Collection, CollectionWatch>();
    const inspectorOf = (collection: CollectionInfo) => {
      const { name } = collection;
      const ids = guard.snapshots.get(name)?.ids;
      const watch = watches.get(name) ?? new CollectionWatch(collection, ids, referencedIds, maxIssues);
      watches.set(name, watch);
      return watch;
    };
    const events = new EventMemory(guard.ledger, seen, signal, undefined);
    const extraction = new Extraction({
      configuration,
      subject: { installationId },
      snapshots,
      keep: async () => {},
      inspectorOf,
      events,
      onProgress,
      signal,
    });
    await extraction.run(connector, { preview: true });
    guard.checkCounts(extraction.stats);
    return previewOf(guard, await guard.judge(seen), watches, extraction.stats, seen);
  } finally {
    unlink();
  }
}

/** Reads the ledger. If it can't be read, the preview reports why instead of failing. */
async function seenBy({ ledger }: Guard): Promise<LedgerSnapshot> {
  if (ledger === undefined) return NOTHING_SEEN;
  return readLedger(ledger).catch((problem: unknown) => ({ ...NOTHING_SEEN, problem }));
}

function previewOf(
  { place, rules, ledger, judged, snapshots }: Guard,
  held: Awaited<ReturnType<Guard["judge"]>>,
  watches: ReadonlyMap<Collection, CollectionWatch>,
  stats: Partial<Record<Collection, WriteStats>>,
  { state }: LedgerSnapshot,
): RunPreview {
  const collections: { -readonly [C in Collection]?: CollectionPreview } = {};
  const refusals: string[] = [];
  for (const [name, watch] of watches) {
    const written = stats[name];
    if (written === undefined) continue;
    const snapshot = snapshots.get(name)?.collection;
    collections[name] = watch.preview(written, judged.get(name)?.figures);
    const { invalidRecords, different } = watch;
    if (invalidRecords > 0) refusals.push(`${name} has ${counted(invalidRecords, "invalid record")}.`);
    // Without a guard and a ledger, a run doesn't notice repeated ids.
    const isNoticed = snapshot && (ledger !== undefined || rules.ruleOf(snapshot) !== undefined);
    if (different > 0 && isNoticed === true)
      refusals.push(`${name} has ${counted(different, "repeated id")} with different contents.`);
  }
  const usual = (name: SnapshotCollection) => usualOf(state.runs, name);
  const report = held.length === 0 ? undefined : describeHeld(place, held, "preview", usual);
  if (report !== undefined) refusals.push(report.summary);
  const preview = { collections, held: report, refusals };
  return withText(preview, () => linesOf(preview));
}

/** Maximum number of repeated ids to list. */
const MAX_DUPLICATES = 20;

/** Inspects the records of one collection and notes their problems without ending the write. */
class CollectionWatch implements RecordInspector {
  readonly #collection: CollectionInfo;
  readonly #ids: SnapshotIds;
  readonly #referencedIds: ReferencedIds;
  readonly #references: readonly ReferenceCheck[];
  readonly #maxIssues: number;
  readonly #issues: InputIssue[] = [];
  readonly #duplicates: string[] = [];
  different = 0;
  invalidRecords = 0;
  /** Whether the next issues are about an id that was refused, rather than an invalid record. */
  #refusedForId = false;

  constructor(
    collection: CollectionInfo,
    ids: SnapshotIds | undefined,
    referencedIds: ReferencedIds,
    maxIssues: number,
  ) {
    this.#collection = collection;
    this.#ids = ids ?? new SnapshotIds({ sampler: undefined, write: undefined, keyOf: undefined });
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
      // If two events have the same id, the service takes the last one.
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
      // References to an invalid record aren't dangling, because the record itself needs the fix.
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
