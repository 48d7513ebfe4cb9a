import { type OptionTable, readOptions } from "../../core/validate.js";
import { type Connector, readConnector } from "../../runs/connector.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { RecordTypes } from "../../sync/generated/records.js";
import { readRuns } from "./cassette/cassette-file.js";

const KEYS = { cassette: true } satisfies OptionTable<NonNullable<Parameters<typeof captureRecords>[1]>>;

/**
 * Runs a connector once and returns the records that the service would have afterwards, as plain objects for a golden
 * file. Omits absent fields, writes times as ISO 8601 strings in UTC, and sends nothing to the service.
 *
 * @example
 * ```ts
 * const cassette = "test/acme.cassette.json";
 * const records = await captureRecords(acme, { cassette });
 * expect(records).toEqual({ accounts: [{ id: "u-1", name: "Zoë" }] });
 * ```
 * @param options.cassette Path or URL of a recording of the vendor; by default the connector reads its real source.
 * @throws {InvalidInputError} an option is unknown
 * @throws {ConfigurationError} the cassette doesn't exist or is damaged
 * @throws {Error} the connector fails, for example on a request that isn't in the cassette
 */
export async function captureRecords<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: { readonly cassette?: string | URL | undefined } = {},
): Promise<{ readonly [C in keyof RecordTypes]?: readonly RecordTypes[C][] }> {
  const caller = "captureRecords";
  const checked = readConnector(caller, connector);
  const { cassette } = readOptions(caller, options, KEYS);
  const [recording] = cassette === undefined ? [] : await readRuns(cassette);
  const [{ openServers }, { runOnce }] = await Promise.all([
    import("./run/servers.js"),
    import("./verdict/clean-runs.js"),
  ]);
  await using servers = await openServers();
  const { effect, records } = await runOnce(servers.run(checked, { recording }));
  return Object.fromEntries(
    [...records.keys()].map((collection) => [
      collection,
      effect.snapshots[collection].map(({ record }) => record),
    ]),
  );
}
