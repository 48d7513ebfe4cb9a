import { isObject } from "../../core/validate.js";
import type { Connector } from "../../runs/connector.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { CleanRuns } from "./verdict/clean-runs.js";
import { type KitOptions, readKitOptions } from "./verdict/options.js";
import { rowsOf } from "./verdict/rows.js";

/**
 * Returns the tests of {@link testConnector} one by one, for a test runner. Each test is named after its fault, and its
 * `run` rejects if the verdict is WRONG. If the fault can't be run, node:test, Vitest and Mocha skip the test; elsewhere,
 * it prints the reason and resolves. The tests run one after the other, even if the runner starts several at once.
 *
 * @example
 * ```ts
 * const cassette = "test/acme.cassette.json";
 * for (const { name, run } of connectorTests(acme, { cassette })) {
 *   test(name, run);
 * }
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
      if (typeof result === "string") return result;
      if (result?.verdict === "WRONG") throw new Error(`WRONG: ${result.cause} (${result.summary})`);
      return undefined;
    } finally {
      await session.close();
    }
  };
  return rowsOf(caller, resolved)
    .filter(({ name }) => resolved.except[name] === undefined)
    .map(({ name }) => ({
      name,
      // Runners pass a context as `this`, or as an argument even to functions without parameters.
      async run(this: unknown, ...given: readonly unknown[]) {
        const own = previous.then(() => runOne(name));
        previous = own.catch(() => {});
        const reason = await own;
        if (reason !== undefined) skip([...given, this], `not run: ${reason}`, name);
      },
    }));
}

function skip(contexts: readonly unknown[], reason: string, name: string): void {
  const context = contexts.find(canSkip);
  if (context === undefined) process.stderr.write(`${name}: ${reason}\n`);
  else context.skip(reason);
}

function canSkip(context: unknown): context is { skip(reason: string): void } {
  return isObject(context) && typeof Reflect.get(context, "skip") === "function";
}
