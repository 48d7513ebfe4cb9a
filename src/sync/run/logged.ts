import { RunHeldError } from "../../core/errors/index.js";
import type { Logger } from "../../core/hooks.js";
import type { RunReceipt } from "./receipt.js";

/** Logs the beginning and the end of a run, each once: completed, held with the rules and their figures, or failed. */
export async function logged(
  installationId: string,
  logger: Logger,
  run: () => Promise<RunReceipt>,
): Promise<RunReceipt> {
  logger.info("saas-management: run started", { installationId });
  try {
    const receipt = await run();
    const { batchId, durationMs, restarts } = receipt;
    const about = { installationId, batchId, durationMs, restarts, records: acceptedOf(receipt) };
    logger.info("saas-management: run completed", about);
    return receipt;
  } catch (error) {
    if (error instanceof RunHeldError) {
      const reasons = error.report.reasons.map(
        ({ collection, rule, diff: { known, sent, added, removed } }) => {
          return { collection, rule, known, sent, added, removed };
        },
      );
      logger.warn("saas-management: run held", { installationId, reasons });
    } else {
      logger.error("saas-management: run failed", { installationId, error });
    }
    throw error;
  }
}

/** How many records of a run the service accepted. */
function acceptedOf({ collections }: RunReceipt): number {
  return Object.values(collections).reduce(
    (sum, { stats }) => sum + stats.accepted + stats.alreadyAccepted,
    0,
  );
}
