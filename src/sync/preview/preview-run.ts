import { linkAbort, raceAbort } from "../../core/abort.js";
import type { Collection, CollectionInfo, SnapshotCollection } from "../collections.js";
import { describePreview, type HeldJudgement, heldReport } from "../guard/held-error.js";
import { SnapshotJudge } from "../guard/judge.js";
import { GuardedSnapshot } from "../guard/snapshot.js";
import type { SyncConfiguration } from "../options.js";
import { counted, withText } from "../report-text.js";
import type { Connector } from "../run/connector.js";
import { Extraction } from "../run/extract.js";
import type { PreviewOptions, ResolvedRunOptions } from "../run/options.js";
import { Watermarks } from "../run/watermarks.js";
import type { WriteStats } from "../write/options.js";
import { CollectionWatch } from "./collection-watch.js";
import { ReferencedIds } from "./references.js";
import { type CollectionPreview, linesOf, type RunPreview } from "./report.js";

/** Calls a connector as a run does, and keeps nothing. The options were read. */
export async function previewRun<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  options: PreviewOptions & Pick<ResolvedRunOptions, "installationId" | "ledger" | "onProgress">,
  client: SyncConfiguration,
  clientClosed: AbortSignal,
): Promise<RunPreview> {
  const { installationId, maxIssues = 100 } = options;
  // The client's hooks are for calls, and a preview makes none.
  const configuration = { ...client, isTraced: false };
  const judge = new SnapshotJudge(options, configuration);
  const snapshots = connector.snapshots.map(
    (collection) => new GuardedSnapshot({ collection, ledger: judge.ledgerOf(collection) }),
  );
  await judge.checkFirstRun(options.signal);
  const watches = new PreviewWatches(snapshots, judge, maxIssues);
  const { controller, unlink } = linkAbort(options.signal, clientClosed);
  const { signal } = controller;
  try {
    const extraction = new Extraction<Snapshots>({
      configuration,
      subject: { installationId },
      snapshots: connector.snapshots,
      keep: async () => {},
      inspectorOf: (collection) => watches.of(collection),
      onProgress: options.onProgress,
      signal,
    });
    const watermarks = new Watermarks(judge.ledger, true, configuration);
    await extraction.run(connector, { preview: true, ...(await watermarks.begin(signal)) });
    return await raceAbort(watches.preview(extraction.stats), signal);
  } finally {
    unlink();
  }
}

class PreviewWatches {
  readonly #judge: SnapshotJudge;
  readonly #maxIssues: number;
  readonly #snapshots: ReadonlyMap<Collection, GuardedSnapshot>;
  readonly #referencedIds: ReferencedIds;
  readonly #watches = new Map<Collection, CollectionWatch>();

  constructor(snapshots: readonly GuardedSnapshot[], judge: SnapshotJudge, maxIssues: number) {
    this.#judge = judge;
    this.#maxIssues = maxIssues;
    this.#snapshots = new Map(snapshots.map((snapshot) => [snapshot.collection, snapshot]));
    this.#referencedIds = new ReferencedIds(snapshots.map(({ collection }) => collection));
  }

  of(collection: CollectionInfo): CollectionWatch {
    const { name } = collection;
    const watch =
      this.#watches.get(name) ??
      new CollectionWatch(collection, this.#snapshots.get(name)?.ids, this.#referencedIds, this.#maxIssues);
    this.#watches.set(name, watch);
    return watch;
  }

  async preview(stats: Partial<Record<Collection, WriteStats>>): Promise<RunPreview> {
    const { place, rules, ledger } = this.#judge;
    const collections: { -readonly [C in Collection]?: CollectionPreview } = {};
    const refusals: string[] = [];
    const held: HeldJudgement[] = [];
    for (const [name, watch] of this.#watches) {
      const written = stats[name];
      if (written === undefined) continue;
      const snapshot = this.#snapshots.get(name);
      const rule = snapshot && rules.ruleOf(snapshot.collection);
      const judgement = snapshot && (await this.#judge.judge(snapshot));
      collections[name] = watch.preview(written, judgement?.figures);
      const { invalidRecords, different } = watch;
      if (invalidRecords > 0) refusals.push(`${name} has ${counted(invalidRecords, "invalid record")}.`);
      // Without a guard and a ledger, nobody would notice a repeated id.
      if (different > 0 && snapshot !== undefined && (ledger !== undefined || rule !== undefined))
        refusals.push(`${name} has ${counted(different, "repeated id")} with different contents.`);
      if (judgement?.isHeld === true) held.push(judgement);
    }
    const text = describePreview(place, held);
    if (held.length > 0) refusals.push(text);
    const report = held.length === 0 ? undefined : heldReport(place, held, undefined, [text]);
    const preview = { collections, held: report, refusals };
    return withText(preview, () => linesOf(preview));
  }
}
