import type { Connector, RunOptions, RunReceipt, SnapshotCollection, SyncClient } from "@saas-management/sdk";
import { count } from "./print.js";

/** Runs a connector, and prints each collection with the number of its records. @param name of the source */
export async function push<S extends SnapshotCollection>(
  sync: SyncClient,
  name: string,
  connector: Connector<S>,
  installationId: string,
  options: Pick<RunOptions, "firstRun"> = {},
): Promise<RunReceipt> {
  const title = `  ${name.padEnd(14)}`;
  const { stdout } = process;
  const receipt = await sync.run(connector, {
    ...options,
    installationId,
    onProgress: (event) => {
      if ((event.type !== "extracting" && event.type !== "sending") || !stdout.isTTY) return;
      stdout.write(`\r\x1b[K${title} ${event.type} ${event.collection} ${count(event.records)}`);
    },
  });
  const accepted = Object.entries(receipt.collections).map(
    ([collection, { stats }]) => `${collection} ${count(stats.accepted)}`,
  );
  console.log(`${stdout.isTTY ? "\r\x1b[K" : ""}${title} ${accepted.join(", ")}`);
  return receipt;
}
