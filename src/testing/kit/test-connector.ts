import type { Connector } from "../../runs/connector.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { ConnectorReport } from "./report.js";
import type { KitOptions } from "./verdict/options.js";

/**
 * Runs a connector while its source misbehaves, one fault after the other, and judges each run by the records that the
 * service has afterwards. Time is virtual, and nothing reaches the real service; with a `cassette`, nothing reaches the
 * vendor either.
 *
 * @example
 * ```ts
 * const cassette = "test/acme.cassette.json";
 * const report = await testConnector(acme, { cassette });
 * console.log(`${report}`);
 * ```
 * @throws {InvalidInputError} an option is unknown or wrong
 * @throws {ConfigurationError} the cassette doesn't exist or is damaged
 * @throws {Error} the connector fails without a fault, for example on a request that isn't in the cassette
 */
export async function testConnector<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: KitOptions = {},
): Promise<ConnectorReport> {
  // Imported on first use, so tests that only need the reference server don't load the kit.
  const { Session } = await import("./verdict/session.js");
  const session = await Session.open("testConnector", connector, options);
  try {
    await session.runAll();
    return session.report;
  } finally {
    await session.close();
  }
}
