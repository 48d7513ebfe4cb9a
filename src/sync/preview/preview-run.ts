import { linkAbort, raceAbort } from "../../core/abort.js";
import type { Collection, CollectionName, SnapshotCollection } from "../collections.js";
import { SyncEngine } from "../engine.js";
import { describeHeld } from "../guard/held-error.js";
import { GuardedSnapshot } from "../guard/snapshot.js";
import { completeBatch, writeBatch } from "../run/attempt.js";
import { checkRunFunction, type RunFunction } from "../run/options.js";
import type { WriteFigures } from "../write/outcomes.js";
import { CollectionWatch } from "./collection-watch.js";
import type { PreviewOptions } from "./preview-options.js";
import { PREVIEW_TRANSPORT } from "./preview-transport.js";
import { ReferencedIds } from "./referenced-ids.js";
import { type ResolvedPreview, resolvePreview } from "./resolve-preview.js";
import type { CollectionPreview, SnapshotChanges, SyncPreview } from "./sync-preview.js";

/** What `previewSync` does, with checked snapshots. */
export async function previewRun<Snapshots extends SnapshotCollection>(
  options: PreviewOptions<Snapshots>,
  fn: RunFunction<Snapshots>,
): Promise<SyncPreview> {
  const resolved = resolvePreview(options);
  checkRunFunction("previewSync", fn);
  const engine = new SyncEngine(resolved.configuration, PREVIEW_TRANSPORT);
  const watches = new PreviewWatches(options, resolved);
  const { controller, unlink } = linkAbort(options.signal);
  const { signal } = controller;
  try {
    const { installationId } = resolved;
    const batch = await engine.startBatch(
      { installationId, signal, keepAlive: options.keepAlive },
      { acceptedEvents: undefined, observerOf: (c) => watches.of(c), beforeComplete: undefined },
    );
    await writeBatch(batch, { number: 1, preview: true }, { options, fn, signal });
    await completeBatch(batch);
    return await raceAbort(watches.preview(batch.stats), signal);
  } finally {
    unlink();
    await engine.close();
  }
}

interface Judged {
  /** Whether a run would notice an id that comes twice. */
  readonly looksAtIds: boolean;
  readonly changes?: SnapshotChanges;
  readonly why?: string | undefined;
}

/** The watches of one preview: one for each collection, however often it is written. */
class PreviewWatches {
  readonly #resolved: ResolvedPreview;
  readonly #there: ReferencedIds;
  readonly #snapshots: ReadonlyMap<CollectionName, GuardedSnapshot>;
  readonly #watches = new Map<CollectionName, CollectionWatch>();

  constructor({ snapshots }: PreviewOptions, resolved: ResolvedPreview) {
    const { scopeOf, ledger } = resolved;
    this.#resolved = resolved;
    this.#there = new ReferencedIds(snapshots);
    this.#snapshots = new Map(
      snapshots.map((name) => [name, GuardedSnapshot.preview(scopeOf(name), ledger)]),
    );
  }

  of(collection: Collection): CollectionWatch {
    const { name } = collection;
    const { maxIssues } = this.#resolved;
    const ids = this.#snapshots.get(name)?.ids;
    const watch =
      this.#watches.get(name) ?? new CollectionWatch({ collection, ids, there: this.#there, maxIssues });
    this.#watches.set(name, watch);
    return watch;
  }

  async preview(stats: Partial<Record<CollectionName, WriteFigures>>): Promise<SyncPreview> {
    const collections: Partial<Record<CollectionName, CollectionPreview>> = {};
    const refusals: string[] = [];
    for (const [name, watch] of this.#watches) {
      const figures = stats[name];
      if (figures === undefined) continue;
      const { changes, why, looksAtIds } = await this.#judge(name);
      const preview = watch.preview(figures, changes);
      collections[name] = preview;
      if (preview.invalid > 0) refusals.push(`${name} has invalid records.`);
      if (looksAtIds && (preview.duplicates?.different ?? 0) > 0)
        refusals.push(`${name} has ids that come again with different contents.`);
      if (why !== undefined) refusals.push(`The guard would hold the run: ${why}.`);
    }
    return { collections, refusals };
  }

  /** What a run would make of the collection's ids, where it looks at them. */
  async #judge(name: CollectionName): Promise<Judged> {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return { looksAtIds: false };
    const { ledger, rules } = this.#resolved;
    const { collection } = snapshot.scope;
    const rule = { rule: rules.ruleOf(collection), requireBaseline: rules.requireBaseline };
    const judgement = await snapshot.judge(rule, undefined);
    const { figures, compared, held } = judgement;
    const why =
      held === undefined
        ? undefined
        : describeHeld({ ...judgement, collection, held, listedIn: undefined, approvalProblem: undefined });
    const changes = {
      baseline: figures.baseline,
      known: figures.known,
      added: figures.new,
      kept: figures.kept,
      removed: figures.gone,
      removedShare: figures.goneShare,
      firstRemoved: compared.firstGone,
      held,
    };
    return { looksAtIds: ledger !== undefined || rule.rule !== undefined, changes, why };
  }
}
