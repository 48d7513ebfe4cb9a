import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import typescript from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emitDeclarations, errorsOf, type Settings } from "./compile-programs.js";
import { RIGHT } from "./right-programs.js";
import { WRONG } from "./wrong-programs.js";

/** The oldest version that is supported; `npm run test:matrix` installs it. */
const OLDEST = fileURLToPath(
  new URL("../../../build/runtimes/node_modules/typescript-5.4/lib/typescript.js", import.meta.url),
);
const MAX_LINES = 3;
/** The compiler reports a wrong type for the array, and then for its elements. */
const FOUR_LINES: ReadonlySet<string> = new Set(["a connector in a variable that lost its types"]);
const TIMEOUT_MS = 120_000;

let declarations: Awaited<ReturnType<typeof emitDeclarations>>;
beforeAll(async () => {
  declarations = await emitDeclarations();
}, TIMEOUT_MS);
afterAll(() => declarations?.remove());

const configurations: readonly (readonly [string, Settings])[] = [
  ["current", "strict"],
  [existsSync(OLDEST) ? "oldest" : "current", "exactOptionalPropertyTypes"],
];

describe.each(configurations)("with the %s TypeScript, %s", (version, settings) => {
  let errors: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const compiler = version === "oldest" ? (await import(pathToFileURL(OLDEST).href)).default : typescript;
    errors = errorsOf(compiler, declarations.folder, { ...RIGHT, ...WRONG }, settings);
  }, TIMEOUT_MS);

  const having = (programs: object, holds: (text: string) => boolean) =>
    [...errors].filter(([title, text]) => Object.hasOwn(programs, title) && holds(text));

  test("compiles every right program", () => {
    expect(having(RIGHT, (text) => text !== "")).toEqual([]);
  });

  test("refuses every wrong program with an error of at most three lines", () => {
    expect(having(WRONG, (text) => text === "")).toEqual([]);
    const long = having(WRONG, (text) => text.split("\n").length > MAX_LINES).map(([title]) => title);
    expect(new Set(long)).toEqual(FOUR_LINES);
  });

  test.runIf(version === "current" && settings === "strict")("names the cause", async () => {
    const texts = having(WRONG, () => true).map(
      ([title, text]) => `${title}\n${text.replace(/^/gm, "    ")}\n`,
    );
    await expect(texts.join("\n")).toMatchFileSnapshot("wrong-programs.txt");
  });
});
