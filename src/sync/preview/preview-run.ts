import { randomUUID } from "node:crypto";
import { linkAbort, raceAbort } from "../../core/abort.js";
import { Credential } from "../../core/credential.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { resolveCommonOptions } from "../../core/options.js";
import type { BatchWatch } from "../batch/session.js";
import type { BatchOptions } from "../batch/start.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import type { Collection, CollectionInfo, SnapshotCollection } from "../collections.js";
import { describeHeld } from "../guard/held-error.js";
import { type ResolvedGuard, resolveGuard } from "../guard/rules.js";
import { GuardedSnapshot } from "../guard/snapshot.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import { type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import { completeBatch, writeBatch } from "../run/attempt.js";
import type { Connector } from "../run/connector.js";
import type { ResolvedRunOptions } from "../run/options.js";
import type { SyncTransport } from "../transport.js";
import type { WriteStats } from "../write/outcomes.js";
import { CollectionWatch } from "./collection-watch.js";
import type { PreviewOptions } from "./options.js";
import { ReferencedIds } from "./references.js";
import type { CollectionPreview, RunPreview, SnapshotChanges } from "./report.js";

/** Accepts everything and keeps nothing. */
const PREVIEW_TRANSPORT: SyncTransport = {
  startBatch: async () => ({ batchId: randomUUID() }),
  syncRecords: async () => ({ accepted: undefined }),
  completeBatch: async () => ({}),
  abortBatch: async () => {},
  close: () => {},
};

interface PreviewEngine {
  start(options: BatchOptions, watch: BatchWatch): Promise<BatchHandle>;
  close(): Promise<void>;
}

/** Runs a connector over a transport that keeps nothing, with options that were read. */
export async function previewRun<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  options: PreviewOptions & Pick<ResolvedRunOptions, "installationId" | "ledger" | "maxIdleMs">,
  client: SyncConfiguration,
  open: (configuration: SyncConfiguration, transport: SyncTransport) => PreviewEngine,
): Promise<RunPreview> {
  const { installationId, maxIssues = 100 } = options;
  const ledger = requireLedger(options.ledger);
  if (!Number.isInteger(maxIssues) || maxIssues < 0)
    throw new InvalidInputError("maxIssues must be an integer of 0 or more.");
  const { clock, logger } = client;
  const credential = new Credential({ authorization: () => "preview" }, "");
  // The client's hooks are for calls, and a preview makes none.
  const configuration = { ...client, ...resolveCommonOptions({ clock, logger }), credential };
  const rules = resolveGuard(options.guard);
  const scope = { endpoint: configuration.endpoint.origin, installationId };
  const snapshots = connector.snapshots.map(
    (name) =>
      new GuardedSnapshot(name, ledger && new CollectionLedger(ledger, { ...scope, collection: name })),
  );
  const watches = new PreviewWatches(snapshots, { ledger, rules, maxIssues });
  const engine = open(configuration, PREVIEW_TRANSPORT);
  const { controller, unlink } = linkAbort(options.signal);
  const { signal } = controller;
  try {
    const batch = await engine.start(
      { installationId, signal, maxIdleMs: options.maxIdleMs },
      {
        acceptedEvents: undefined,
        observerOf: (collection) => watches.of(collection),
        beforeComplete: undefined,
      },
    );
    await writeBatch(batch, { attempt: 1, preview: true }, { connector, signal });
    await completeBatch(batch);
    return await raceAbort(watches.preview(batch.stats), signal);
  } finally {
    unlink();
    await engine.close();
  }
}

interface PreviewRules {
  readonly ledger: LedgerParts | undefined;
  readonly rules: ResolvedGuard;
  readonly maxIssues: number;
}

interface Judgement {
  /** Whether a run would notice a repeated id. */
  readonly checksIds: boolean;
  readonly changes?: SnapshotChanges;
  readonly refusal?: string | undefined;
}

/** The watches of all collections of a preview. */
class PreviewWatches {
  readonly #rules: PreviewRules;
  readonly #snapshots: ReadonlyMap<Collection, GuardedSnapshot>;
  readonly #referencedIds: ReferencedIds;
  readonly #watches = new Map<Collection, CollectionWatch>();

  constructor(snapshots: readonly GuardedSnapshot[], rules: PreviewRules) {
    this.#rules = rules;
    this.#snapshots = new Map(snapshots.map((snapshot) => [snapshot.collection, snapshot]));
    this.#referencedIds = new ReferencedIds(snapshots.map(({ collection }) => collection));
  }

  /** The watch of a collection, for all of its writes. */
  of(collection: CollectionInfo): CollectionWatch {
    const { name } = collection;
    const watch =
      this.#watches.get(name) ??
      new CollectionWatch({
        collection,
        ids: this.#snapshots.get(name)?.ids,
        referencedIds: this.#referencedIds,
        maxIssues: this.#rules.maxIssues,
      });
    this.#watches.set(name, watch);
    return watch;
  }

  async preview(stats: Partial<Record<Collection, WriteStats>>): Promise<RunPreview> {
    const collections: Partial<Record<Collection, CollectionPreview>> = {};
    const refusals: string[] = [];
    for (const [name, watch] of this.#watches) {
      const figures = stats[name];
      if (figures === undefined) continue;
      const { changes, refusal, checksIds } = await this.#judge(this.#snapshots.get(name));
      const preview = watch.preview(figures, changes);
      collections[name] = preview;
      if (preview.invalid > 0) refusals.push(`${name} has invalid records.`);
      if (checksIds && (preview.duplicates?.different ?? 0) > 0)
        refusals.push(`${name} has repeated ids with different contents.`);
      if (refusal !== undefined) refusals.push(refusal);
    }
    return { collections, refusals };
  }

  async #judge(snapshot: GuardedSnapshot | undefined): Promise<Judgement> {
    if (snapshot === undefined) return { checksIds: false };
    const { ledger, rules } = this.#rules;
    const { collection } = snapshot;
    const rule = rules.ruleOf(collection);
    const judgement = await snapshot.judge({ rule, requireBaseline: rules.requireBaseline }, undefined);
    const { figures, compared, held } = judgement;
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
    const checksIds = ledger !== undefined || rule !== undefined;
    if (held === undefined) return { checksIds, changes };
    const why = describeHeld({
      ...judgement,
      collection,
      held,
      listedIn: undefined,
      approvalProblem: undefined,
    });
    return { checksIds, changes, refusal: `The guard would hold the run: ${why}.` };
  }
}
