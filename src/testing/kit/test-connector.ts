import type { Connector } from "../../runs/connector.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { ConnectorReport } from "./report.js";
import type { KitOptions } from "./verdict/options.js";

/**
 * Runs a connector under faults of its source, one after the other, and judges each run by what the service holds
 * afterwards. Time is virtual, and nothing reaches the real service; with a `cassette`, nothing reaches the
 * vendor either.
 *
 * @example
 * ```ts
 * const report = await testConnector(acme, { cassette: "test/acme.cassette.json" });
 * console.log(`${report}`);
 * ```
 * @throws {InvalidInputError} an option is unknown or wrong
 * @throws {ConfigurationError} there is no such cassette, or it is damaged
 * @throws {Error} the connector fails without a fault, such as on a request that the cassette does not hold
 */
export async function testConnector<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: KitOptions = {},
): Promise<ConnectorReport> {
  // With the first use: tests that only need the reference server do not load the kit.
  const { Session } = await import("./verdict/session.js");
  const session = await Session.open("testConnector", connector, options);
  try {
    await session.runAll();
    return session.report;
  } finally {
    await session.close();
  }
}
