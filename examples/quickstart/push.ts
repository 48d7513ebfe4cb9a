import type { Connector, Ledger, RunReceipt, SnapshotCollection, SyncClient } from "@saas-management/sdk";
import { count } from "./print.js";

/** Runs connectors with a ledger, so that a list that is far too short is held. */
export class Pusher {
  constructor(
    private readonly sync: SyncClient,
    private readonly ledger: Ledger,
  ) {}

  /** Prints each collection with the number of its records. @param name of the source */
  async push<S extends SnapshotCollection>(
    name: string,
    connector: Connector<S>,
    installationId: string,
  ): Promise<RunReceipt> {
    const title = `  ${name.padEnd(14)}`;
    const { stdout } = process;
    const receipt = await this.sync.run(connector, {
      installationId,
      ledger: this.ledger,
      onProgress: (event) => {
        if (event.type !== "window-accepted" || !stdout.isTTY) return;
        stdout.write(`\r\x1b[K${title} ${event.collection} ${count(event.accepted)}`);
      },
    });
    const accepted = Object.entries(receipt.collections).map(
      ([collection, figures]) => `${collection} ${count(figures.accepted)}`,
    );
    console.log(`${stdout.isTTY ? "\r\x1b[K" : ""}${title} ${accepted.join(", ")}`);
    return receipt;
  }
}
