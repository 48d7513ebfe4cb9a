import type { SnapshotCollection } from "../../sync/collections.js";
import type { Connector } from "../../sync/run/connector.js";
import { findRunner } from "./runner.js";
import { type KitOptions, readKitOptions } from "./verdict/options.js";
import { rowsOf } from "./verdict/rows.js";
import type { Session } from "./verdict/session.js";

/**
 * Adds a test for each fault of {@link testConnector} to a test file of vitest, jest or node:test. A test is named after
 * its fault, so that the runner can select it by name. It fails if the verdict is WRONG.
 *
 * @example
 * ```ts
 * describeConnector(acme, { cassette: new URL("acme.cassette.json", import.meta.url) });
 * ```
 * @throws {InvalidInputError} an option is unknown or wrong
 */
export function describeConnector<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: KitOptions = {},
): void {
  const caller = "describeConnector";
  const resolved = readKitOptions(caller, options);
  const runner = findRunner();
  let session: Promise<Session> | undefined;
  const open = () => {
    session ??= import("./verdict/session.js").then(({ Session }) =>
      Session.open(caller, connector, options),
    );
    return session;
  };
  runner.describe("connector under faults", () => {
    for (const { name } of rowsOf(caller, resolved))
      runner.test(name, async () => {
        const opened = await open();
        const row = opened.rows.find((one) => one.name === name);
        const { verdict, cause = "", summary } = row === undefined ? NOTHING : await opened.run(row);
        if (verdict === "WRONG") throw new Error(`WRONG: ${cause} (${summary})`);
        return verdict === "not-applicable" ? "skipped" : "passed";
      });
    runner.afterAll(async () => {
      const opened = await session?.catch(() => undefined);
      await opened?.close();
    });
  });
}

const NOTHING = { verdict: "not-applicable", cause: undefined, summary: "" } as const;
