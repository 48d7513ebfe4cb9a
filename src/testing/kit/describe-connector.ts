import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isObject } from "../../core/validate.js";
import type { Connector } from "../../runs/connector.js";
import type { SnapshotCollection } from "../../sync/collections.js";
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

type Body = () => Promise<"passed" | "skipped">;

/** What the kit needs of a test runner. */
export interface Runner {
  describe(name: string, body: () => void): void;
  test(name: string, body: Body): void;
  afterAll(body: () => Promise<void>): void;
}

type Functions = Readonly<Record<"describe" | "test" | "afterAll", (...args: unknown[]) => unknown>>;

/** A case takes milliseconds; the first test also starts the servers. */
const LIMIT_MS = 60_000;

/** Finds the test runner that has loaded the test file, whether it has global functions or not. */
function findRunner(): Runner {
  const jestLike = [vitest(), globalThis, jest()].find(isFunctions);
  return jestLike === undefined ? nodeRunner() : jestLikeRunner(jestLike);
}

function isFunctions(value: unknown): value is Functions {
  return (
    isObject(value) &&
    ["describe", "test", "afterAll"].every((name) => typeof Reflect.get(value, name) === "function")
  );
}

/** What `import.meta.vitest` is in a source file: there is no other way to reach vitest without `await`. */
function vitest(): unknown {
  return Reflect.get(globalThis, "__vitest_index__");
}

/** For `injectGlobals: false`. */
function jest(): unknown {
  if (process.env["JEST_WORKER_ID"] === undefined) return undefined;
  try {
    return createRequire(pathToFileURL(`${process.cwd()}/`))("@jest/globals");
  } catch {
    return undefined;
  }
}

function jestLikeRunner({ describe, test, afterAll }: Functions): Runner {
  return {
    describe,
    test: (name, body) => test(name, async () => void (await body()), LIMIT_MS),
    afterAll: (body) => afterAll(body, LIMIT_MS),
  };
}

function nodeRunner(): Runner {
  const { describe, test, after } = process.getBuiltinModule("node:test");
  return {
    describe: (name, body) => void describe(name, body),
    test: (name, body) =>
      void test(name, async (context) => {
        if ((await body()) === "skipped") context.skip("Nothing to strike.");
      }),
    afterAll: (body) => after(body),
  };
}
