import { randomBytes } from "node:crypto";
import { ConfigurationError } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import { requireLedger } from "../ledger/ledger.js";
import { completeBatch, writeBatch } from "../run/attempt.js";
import type { Connector } from "../run/connector.js";
import { Watermarks } from "../run/watermarks.js";
import { type Extraction, extract } from "./extract.js";
import { runKeys } from "./keys.js";
import type { StagedParts } from "./parts.js";
import { type Manifest, WHOLE } from "./sealed-run.js";
import { exists, putJson } from "./values.js";

/**
 * Calls a connector once and extracts all that it writes, each collection into a segment. The run is sealed at the end.
 * @throws as a run does that sends nothing; also {@link ConfigurationError} if the staging cannot be written
 */
export async function extractRun<Snapshots extends SnapshotCollection>(
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
