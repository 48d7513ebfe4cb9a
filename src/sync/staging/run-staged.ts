import { randomBytes, randomUUID } from "node:crypto";
import { raceAbort } from "../../core/abort.js";
import { ConfigurationError } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import { requireFirstRun } from "../guard/first-run.js";
import { ObservedIds } from "../guard/observed-ids.js";
import { requireLedger } from "../ledger/ledger.js";
import { isGone, thisProcess } from "../ledger/owner.js";
import { completeBatch, writeBatch } from "../run/attempt.js";
import type { Connector } from "../run/connector.js";
import type { OpenOffline } from "../run/offline.js";
import type { ResolvedRunOptions } from "../run/options.js";
import type { RunReceipt } from "../run/receipt.js";
import { untilRunEnds } from "../run/run-end.js";
import type { RunParts } from "../run/sync-run.js";
import { Watermarks } from "../run/watermarks.js";
import { commitRun } from "./commit.js";
import { type Extraction, extract } from "./extract.js";
import { runKeys } from "./keys.js";
import { openPlan } from "./open-plan.js";
import { putReceipt, readFate, SupersededError } from "./outcome.js";
import { ledgerOf, requireStaging, type StagedParts } from "./parts.js";
import type { StoredPlan } from "./plan.js";
import { deleteSegments, discardRun, isSealed, type ListedRun, unfinishedRuns } from "./runs.js";
import { type Manifest, WHOLE } from "./sealed-run.js";
import { UnusableSegmentError } from "./segment-reader.js";
import type { Staging } from "./staging.js";
import { exists, putJson } from "./values.js";

/** All runs of a connector that are read and sent by one process have plans of this version. */
const VERSION = "run";
/** A run whose process cannot be asked is given up after so long. */
const LONGEST_RUN_MS = 24 * 60 * 60 * 1000;

/** Runs of this process that are under way. */
const OPEN = new Set<string>();

/**
 * A run with `staging`: commits what an earlier one has extracted, if that must be or is approved now; otherwise extracts
 * first, and then commits.
 */
export function runStaged<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  staging: Staging,
  options: ResolvedRunOptions,
  parts: RunParts & { readonly open: OpenOffline },
): Promise<RunReceipt> {
  const { installationId, ledger, ...given } = options;
  const { configuration, closed, begunAt } = parts;
  const { clock, logger } = configuration;
  const shared = { staging: requireStaging(staging), ledger, configuration };
  ledgerOf(ledger);
  return untilRunEnds(given, { clock, begunAt }, async (signal) => {
    const within = { ...given, signal, maxDurationMs: undefined, stopOnSignals: undefined };
    const commit = (plan: StoredPlan, observed?: ObservedIds) =>
      commitRun({ ...shared, plan }, within, parts, observed);
    const left = await raceAbort(leftPlan(shared, options), signal, closed);
    if (left !== undefined) {
      logger.info("saas-management: commits what an earlier run has extracted; the connector is not called", {
        runKey: left.runKey,
        openedAt: new Date(left.openedAt),
      });
      try {
        return await commit(left);
      } catch (error) {
        if (error instanceof UnusableSegmentError) await abandon(shared, left);
        else if (!(error instanceof SupersededError)) throw error;
        logger.warn("saas-management: an earlier run cannot be committed any more; the connector is called", {
          runKey: left.runKey,
          error,
        });
      }
    }
    const scope = { endpoint: configuration.endpoint.origin, installationId };
    if (given.firstRun === true) await raceAbort(requireFirstRun(ledger, scope, clock), signal, closed);
    const wanted = { runKey: `run ${randomUUID()}`, version: VERSION, partitions: null, installationId };
    const staged = await raceAbort(openPlan(wanted, shared), signal, closed);
    OPEN.add(staged.plan.id);
    try {
      const observed = new ObservedIds(ledgerOf(ledger), scope);
      const { onProgress } = given;
      const { observerOf } = observed;
      // Nothing of a run that failed is read again.
      await extractRun(connector, staged, { ...parts, signal, onProgress, observerOf }).catch(
        async (error: unknown) => {
          await giveUp(shared, staged.plan);
          throw error;
        },
      );
      return await commit(staged.plan, observed);
    } finally {
      OPEN.delete(staged.plan.id);
    }
  });
}

/**
 * Calls a connector once and extracts all that it writes, each collection into a segment. The run is sealed at the end.
 * @throws as a run does that sends nothing; also {@link ConfigurationError} if the staging cannot be written
 */
async function extractRun<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  run: StagedParts,
  engine: Omit<Extraction, "run"> & { readonly signal: AbortSignal },
): Promise<void> {
  const { plan, staging } = run;
  const { sealed: key } = runKeys(plan);
  const token = randomBytes(6).toString("hex");
  const watermarks = new Watermarks(
    {
      ledger: requireLedger(run.ledger),
      installationId: plan.installationId,
      preview: false,
      committed: new Map(Object.entries(plan.watermarks)),
    },
    run.configuration,
  );
  const { result: advanced, sealed } = await extract(
    { run, ...engine },
    (collection) => ({ collection, partition: WHOLE, token }),
    async (batch) => {
      const { signal } = engine;
      const context = { attempt: 1, preview: false, ...(await watermarks.begin(batch)) };
      await writeBatch(batch, context, { connector, signal });
      await completeBatch(batch);
      return watermarks.advanced;
    },
  );
  const manifest: Manifest = {
    segments: Object.fromEntries(sealed),
    advanced: Object.fromEntries(advanced),
  };
  await putJson(staging.store, key, manifest);
  if (!(await exists(staging.store, key)))
    throw new ConfigurationError(`The staging does not list ${key}, which it has stored.`);
}

/**
 * Returns the plan of an earlier run that is to be committed: one whose commit has begun; the last one that was extracted
 * wholly, if there is an approval. Discards the others whose processes have ended.
 */
async function leftPlan(
  shared: Omit<StagedParts, "plan">,
  { installationId, approve }: ResolvedRunOptions,
): Promise<StoredPlan | undefined> {
  const { staging, configuration } = shared;
  const scope = { endpoint: configuration.endpoint.origin, installationId };
  const all = await unfinishedRuns(staging, scope);
  const left = all.filter(({ plan }) => plan.partitions === null && plan.version === VERSION);
  for (const { plan } of left)
    if ((await readFate(staging.store, runKeys(plan)))?.fate === "commit") return plan;
  const sealed = left.filter(isSealed).sort((a, b) => b.plan.openedAt - a.plan.openedAt);
  if (approve !== undefined && sealed[0] !== undefined) return sealed[0].plan;
  const now = configuration.clock.now();
  for (const run of left) if (isOver(run, now)) await giveUp(shared, run.plan);
  return undefined;
}

/** Whether nobody works on a run any more. One that is not over ends in another process, or is swept. */
function isOver({ plan: { id, owner, openedAt } }: ListedRun, now: number): boolean {
  const own = thisProcess();
  const isOwn = owner?.pid === own.pid && owner.bootId === own.bootId && owner.host === own.host;
  if (isOwn) return !OPEN.has(id);
  return (owner != null && isGone(owner)) || now - openedAt > LONGEST_RUN_MS;
}

/** Otherwise each later run would try to commit it. If a batch of it was completed, its ids in the ledger stay unclear. */
async function abandon({ staging }: Omit<StagedParts, "plan">, plan: StoredPlan): Promise<void> {
  await putReceipt(staging.store, runKeys(plan), { superseded: true });
  await deleteSegments(staging, plan);
}

async function giveUp(
  { staging, configuration }: Omit<StagedParts, "plan">,
  plan: StoredPlan,
): Promise<void> {
  try {
    await discardRun(staging, plan);
  } catch (error) {
    configuration.logger.warn("saas-management: could not discard an earlier run; sweep the staging", {
      runKey: plan.runKey,
      error,
    });
  }
}
