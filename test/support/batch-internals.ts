import type { SyncBatch } from "@saas-management/sdk";
import { BatchHandle } from "../../src/sync/batch/handle.js";

/** The first failure of a batch's calls to the service. */
export function failureOf(batch: SyncBatch): unknown {
  if (!(batch instanceof BatchHandle)) throw new TypeError("no batch of this copy of the SDK");
  return batch.failure;
}
