import { InvalidInputError } from "../../core/errors/index.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { RecordTypes } from "../../sync/generated/records.js";
import { type Connector, readConnector } from "../../sync/run/connector.js";
import { readDay } from "./cassette/cassette-file.js";

const KEYS = { cassette: true, day: true } satisfies KeysOf<
  NonNullable<Parameters<typeof captureRecords>[1]>
>;

/**
 * Runs a connector once, and returns what the service would hold then, as plain objects: for a golden file, or for
 * {@link expectRecords}. Absent fields are left out, times are ISO 8601 strings in UTC, and nothing reaches the service.
 *
 * @example
 * ```ts
 * const records = await captureRecords(acme, { cassette: "test/acme.cassette.json" });
 * expectRecords(records, { accounts: [{ id: "u-1", name: "Zoë" }] });
 * ```
 * @param options.cassette Path or URL of a recording of the vendor; by default the connector reads its real source.
 * @param options.day A day of the cassette, `YYYY-MM-DD`; by default its last one.
 * @throws {InvalidInputError} an option is invalid, or the cassette does not have the day
 * @throws {Error} the connector fails, such as on a request that the cassette does not hold
 */
export async function captureRecords<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: {
    readonly cassette?: string | URL | undefined;
    readonly day?: string | undefined;
  } = {},
): Promise<{ readonly [C in keyof RecordTypes]?: readonly RecordTypes[C][] }> {
  const caller = "captureRecords";
  const checked = readConnector(caller, connector);
  const { cassette, day } = readOptions(caller, options, KEYS);
  if (day !== undefined && cassette === undefined)
    throw new InvalidInputError("captureRecords: day needs a cassette.");
  const recording = cassette === undefined ? undefined : await readDay(caller, cassette, day);
  const [{ openStage }, { runOnce }] = await Promise.all([
    import("./case/stage.js"),
    import("./session/clean-runs.js"),
  ]);
  await using stage = await openStage();
  const { effect, records } = await runOnce(stage.run(checked, { recording }));
  return Object.fromEntries(
    [...records.keys()].map((collection) => [
      collection,
      effect.snapshots[collection].map(({ record }) => record),
    ]),
  );
}
