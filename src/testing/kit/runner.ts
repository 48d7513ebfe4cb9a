import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isObject } from "../../core/validate.js";

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
export function findRunner(): Runner {
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
