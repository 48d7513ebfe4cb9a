import type { Connector } from "../../runs/connector.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { CleanRuns } from "./verdict/clean-runs.js";
import { type KitOptions, readKitOptions } from "./verdict/options.js";
import { rowsOf } from "./verdict/rows.js";

/**
 * Returns the tests of {@link testConnector} one by one, for a test runner. Each test is named after its fault, and its
 * `run` rejects if the verdict is WRONG. The tests run one after the other, even if the runner starts several at once.
 *
 * @example
 * ```ts
 * for (const { name, run } of connectorTests(acme, { cassette: "test/acme.cassette.json" })) test(name, run);
 * ```
 * @throws {InvalidInputError} an option is unknown or wrong
 */
export function connectorTests<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: KitOptions = {},
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  const caller = "connectorTests";
  const resolved = readKitOptions(caller, options);
  let clean: CleanRuns | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  const runOne = async (name: string) => {
    const { Session } = await import("./verdict/session.js");
    // Each test has its own servers, because no test knows whether it is the last, and open servers would keep the
    // process alive.
    const session = await Session.open(caller, connector, options, clean);
    try {
      clean = session.clean;
      const row = session.rows.find((one) => one.name === name);
      const result = row && (await session.run(row));
      if (result?.verdict === "WRONG") throw new Error(`WRONG: ${result.cause} (${result.summary})`);
    } finally {
      await session.close();
    }
  };
  return rowsOf(caller, resolved)
    .filter(({ name }) => resolved.except[name] === undefined)
    .map(({ name }) => ({
      name,
      run: () => {
        const own = previous.then(() => runOne(name));
        previous = own.catch(() => {});
        return own;
      },
    }));
}
