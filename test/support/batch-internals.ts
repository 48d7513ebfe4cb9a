import type { SyncBatch } from "@saas-management/sdk";
import { BatchHandle } from "../../src/sync/batch/sync-batch.js";

/** What is known of each write of a batch, in the order of the calls. */
export const writesOf = (batch: SyncBatch) => handleOf(batch).writes;

/** The first failure of a batch on the way to the service. */
export const failureOf = (batch: SyncBatch) => handleOf(batch).failure;

function handleOf(batch: SyncBatch): BatchHandle {
  if (!(batch instanceof BatchHandle)) throw new TypeError("no batch of this copy of the SDK");
  return batch;
}
