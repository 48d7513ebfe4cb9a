/// <reference lib="esnext.disposable" preserve="true" />
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestClock } from "../../../core/clock.js";
import { startReferenceServer } from "../../../reference-server/server.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { Connector } from "../../../sync/run/connector.js";
import { ChildProcesses } from "../child/processes.js";
import { leaveVirtualTime, type VirtualTime, virtualTime } from "../time/context.js";
import { installVirtualTime } from "../time/install.js";
import { loadVendor } from "../vendor/load.js";
import type { VendorRoute } from "../vendor/routes.js";
import { Scene } from "./scene.js";
import type { CaseResult, CaseSetup } from "./setup.js";

/** The servers and the clock that all cases share, one case at a time. */
export interface Stage extends AsyncDisposable {
  /**
   * Runs a connector in a workspace of its own. Never rejects because of the connector.
   * @throws {ConfigurationError} a process of its own cannot load the connector's module
   */
  run<S extends SnapshotCollection>(connector: Connector<S>, setup?: CaseSetup): Promise<CaseResult>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const clock = new TestClock({ startAt: new Date() });
  const { startVendor, intercept } = await loadVendor();
  const [server, vendor] = await Promise.all([startReferenceServer({ clock }), startVendor()]);
  const routes = new WeakMap<VirtualTime, VendorRoute>();
  const restoreTime = installVirtualTime();
  const route = () => {
    const time = virtualTime();
    return time && routes.get(time);
  };
  const interception = intercept({ route, outside: leaveVirtualTime });
  const children = new ChildProcesses();
  let created: string | undefined;
  const folder = () => {
    created ??= mkdtempSync(join(tmpdir(), "connector-test-"));
    return created;
  };
  const parts = { server, clock, vendor, interception, routes, folder, children };
  let closed: Promise<void> | undefined;
  const closeAll = async () => {
    children.close();
    interception.restore();
    restoreTime();
    await Promise.all([server.close(), vendor.close()]);
    if (created !== undefined) await rm(created, { recursive: true, force: true, maxRetries: 10 });
  };
  const close = () => {
    closed ??= closeAll();
    return closed;
  };
  // Modules are loaded with the first run, and time must not pass meanwhile.
  const warmUp = { snapshots: [], run: (batch) => batch.write("usage", []) } satisfies Connector;
  await new Scene(parts, warmUp, {}).load();
  return {
    run: async (connector, setup = {}) => new Scene(parts, connector, setup).play(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
