import { randomUUID } from "node:crypto";
import type { SaasManagementClient } from "../../client.js";
import { BatchInProgressError } from "../../core/errors/index.js";
import { hasEnded } from "../../sync/call.js";
import { bad, ok, skipped } from "./check.js";

/** Asks for a number: the smallest query that needs a key. */
export async function checkGraphQL(client: SaasManagementClient, signal: AbortSignal) {
  const plans = await client.graphql.licensePlans({ signal, retry: false }).totalCount();
  return ok(`reads the workspace (${plans} license plans); only a change would tell whether it may write`);
}

/** Aborts a batch that does not exist: the service checks the key first, and no lock is taken. */
export async function checkSync(client: SaasManagementClient) {
  try {
    await client.sync.openBatch(randomUUID()).abort();
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
  return ok("may sync (shown by aborting a batch that does not exist; no lock was taken)");
}

/** Starts a batch and aborts it: the only way to learn whether the installation exists and its lock is free. */
export async function checkInstallation(
  client: SaasManagementClient,
  installationId: string | undefined,
  takeLock: boolean,
  signal: AbortSignal,
) {
  if (installationId === undefined)
    return skipped("none is set: SAAS_MANAGEMENT_INSTALLATION_ID or --installation");
  if (!takeLock)
    return skipped(
      `${installationId} was not looked at, because that takes its lock for a moment: --take-lock does`,
    );
  try {
    const batch = await client.sync.startBatch({ installationId, signal });
    await batch.abort();
    return ok(`${installationId} exists, and its lock is free (it was taken and released)`);
  } catch (error) {
    if (!(error instanceof BatchInProgressError)) throw error;
    const text = `${installationId}: another batch holds its lock`;
    const advice = 'Wait for the run that "lock" names, or at most 15 minutes after its last message.';
    return { ...bad(text, advice), error };
  }
}
