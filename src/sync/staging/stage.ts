import { type KeysOf, readOptions } from "../../core/validate.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import { openPlan } from "./open-plan.js";
import { readPartitions, requireName } from "./partitions.js";
import { ledgerOf, requireStaging } from "./parts.js";
import type { Plan, PlanOptions } from "./plan.js";
import { type StagedEngine, type StagedRun, stagedRun } from "./staged-run.js";
import type { Staging } from "./staging.js";

const PLAN_KEYS = {
  runKey: true,
  version: true,
  partitions: true,
  installationId: true,
  ledger: true,
} satisfies KeysOf<PlanOptions>;

/** @throws {InvalidInputError} the options are not a plain object, or one is unknown */
export function readPlanOptions<P extends Plan>(options: PlanOptions<P>): PlanOptions<P> {
  return readOptions("stage", options, PLAN_KEYS);
}

/** Opens a run for the caller of `client.sync.stage`. */
export async function stageRun(
  staging: Staging,
  options: PlanOptions & { readonly installationId: string; readonly ledger: Ledger | "none" },
  configuration: SyncConfiguration,
  engine: StagedEngine,
): Promise<StagedRun> {
  const { installationId, ledger } = options;
  const parts = { staging: requireStaging(staging), ledger, configuration };
  ledgerOf(ledger);
  const wanted = {
    runKey: requireName("runKey", options.runKey),
    version: requireName("version", options.version),
    partitions: readPartitions(options.partitions),
    installationId,
  };
  return stagedRun(await openPlan(wanted, parts), engine);
}
