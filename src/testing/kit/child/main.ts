import { TestClock } from "../../../core/clock.js";
import { ConfigurationError, RunHeldError } from "../../../core/errors/index.js";
import { createSyncClient } from "../../../sync/client.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import { fileLedger } from "../../../sync/ledger/ledger.js";
import { type Connector, readConnector } from "../../../sync/run/connector.js";
import { Activity } from "../case/activity.js";
import { kitConnector } from "../case/batch.js";
import { Passage } from "../case/passage.js";
import { VirtualTime } from "../time/context.js";
import { installVirtualTime, loadVendor } from "../time/install.js";
import type { ChildAnswer, ChildOrder } from "./processes.js";

/** A process that runs a connector once, and may be interrupted or killed meanwhile. */
process.once("message", (order: ChildOrder) => {
  void run(order).then((answer) => process.send?.(answer, () => process.disconnect()));
});

async function run(order: ChildOrder): Promise<ChildAnswer> {
  const { apiKey, directory, firstRun, guard, installationId, route, startedAt, syncUrl } = order;
  // Time passes as it does, from where that of the other process is.
  const clock = new TestClock();
  clock.advance(Math.max(0, order.now - clock.now()));
  const time = new VirtualTime(clock, startedAt, (error) => {
    throw error;
  });
  time.route = route;
  installVirtualTime();
  const { intercept } = await loadVendor();
  intercept();
  let connector: Connector<SnapshotCollection>;
  try {
    connector = await load(order.module);
  } catch (error) {
    return { outcome: "not-loaded", message: messageOf(error) };
  }
  const client = createSyncClient({ endpoint: syncUrl, apiKey, clock });
  try {
    const passage = () => new Passage(time, new Activity(), undefined, () => {});
    const options = { installationId, ledger: fileLedger(directory), firstRun, guard, stopOnSignals: true };
    await client.run(kitConnector(connector, passage), options);
    return { outcome: "completed" };
  } catch (error) {
    return { outcome: error instanceof RunHeldError ? "held" : "refused", message: messageOf(error) };
  } finally {
    await client.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function load(module: string): Promise<Connector<SnapshotCollection>> {
  const loaded: Readonly<Record<string, Connector<SnapshotCollection>>> = await import(module);
  const connector = loaded["default"] ?? loaded["connector"];
  if (connector !== undefined) return readConnector("module", connector);
  throw new ConfigurationError('It exports no connector as "default" or "connector".');
}
