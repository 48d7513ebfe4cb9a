import { once } from "node:events";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../../src/cli/serve/command.js";
import { startCli } from "../../support/cli.js";
import { type ConsumerFolder, makeConsumerFolder, runNode, TOOLS } from "../consumers/packed-package.js";

const REFUSED = new URL("../consumers/documents/refused.ts", import.meta.url);

let folder: ConsumerFolder;
let server: ReferenceServer;
let project: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await serve({ demo: true });
  folder = await makeConsumerFolder();
  project = await folder.write("examples", { "package.json": "{}" });
  env = {
    SAAS_MANAGEMENT_BASE_URL: server.baseUrl,
    SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
    SAAS_MANAGEMENT_API_KEY: server.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: server.installationId,
    XDG_STATE_HOME: join(project, "state"),
  };
}, 300_000);
afterAll(async () => {
  await folder.remove();
  await server.close();
});

const packed = (file: string) => join(project, "node_modules/@saas-management/sdk/examples", file);
const run = (file: string, ...args: string[]) => runNode([TOOLS.tsx, packed(file), ...args], project, env);

async function compile(folder: string, more: object = {}): Promise<void> {
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    ...more,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  await runNode([TOOLS.tsc, "-p", "."], folder);
}

test("every program names its one command, and compiles in an empty project", async () => {
  const files = (await readdir(packed(""))).filter((file) => file.endsWith(".mts"));
  expect(files.length).toBeGreaterThan(9);
  for (const file of files) {
    expect(await readFile(packed(file), "utf8")).toMatch(/^\/\*\*\n.*npx (tsx|saas-management run) /s);
    await cp(packed(file), join(project, file));
  }
  await compile(project, { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true });
});

test("quickstart.mts pushes, shows a held run and reads the data back", async () => {
  const output = await run("quickstart.mts");
  expect(output).toMatch(/Run completed.*accounts +40 +40 +0 +0 .*Held: .*EUR a year.*and 32 more/s);
  expect(output).not.toMatch(/.{121}/);
});

test("savings-chart.mts draws a bar for each plan with unused licenses, in groups by currency", async () => {
  const svg = await run("savings-chart.mts");
  for (const text of ["EUR a year", "GBP a year", "USD a year", "Studio Team"]) expect(svg).toContain(text);
  const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(Math.max(...widths)).toBe(300);
  expect(widths.filter((width) => width > 0)).toHaveLength(5);
});

test("renewals-calendar.mts writes a calendar whose lines have at most 75 bytes", async () => {
  const lines = (await run("renewals-calendar.mts")).split("\r\n");
  expect(lines[0]).toBe("BEGIN:VCALENDAR");
  expect(lines.slice(-2)).toEqual(["END:VCALENDAR", ""]);
  expect(lines.filter((line) => line === "BEGIN:VEVENT")).toHaveLength(5);
  expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
  const unfolded = lines.join("\n").replaceAll("\n ", "");
  expect(unfolded).toMatch(
    /SUMMARY:Brambleboard Board Business renews\nDESCRIPTION:Terminate by \d{4}-\d\d-\d\d\. It costs \d+\.\d\d [A-Z]{3}/,
  );
});

test("scheduled.mts runs, waits for the next time, and ends on SIGTERM", async () => {
  const child = startCli(["--first-run"], {
    cwd: project,
    env,
    program: ["--import=tsx", packed("scheduled.mts")],
  });
  const exit = once(child, "exit");
  let output = "";
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (!child.killed && output.includes("Run completed")) child.kill("SIGTERM");
  }
  expect(output).toMatch(/accounts +40 .*Stopped by SIGTERM\.\n$/s);
  expect(await exit).toEqual([0, null]);
});

test.each([
  [
    "codegen",
    [TOOLS.codegen, "--config", "codegen.ts"],
    /^\d applications, \d+ licenses\n.*last used on \d/s,
  ],
  ["tada", [TOOLS.tada, "generate-output"], /@polarvik\.example: /],
])(
  "an app with its own documents, typed by %s, compiles against the shipped schema and runs",
  async (tool, generate, printed) => {
    const name = `documents-${tool}`;
    const own = await folder.write(name, {
      "package.json": '{"type":"module"}',
      "graphql.ts": 'export { graphql } from "./gql/index.js";',
      "refused.ts": await readFile(REFUSED, "utf8"),
    });
    await cp(packed(name), own, { recursive: true });
    if (tool === "codegen") {
      const config = await readFile(join(own, "codegen.ts"), "utf8");
      await writeFile(join(own, "codegen.ts"), config.replace('"main.ts"', '["main.ts", "refused.ts"]'));
    }
    await runNode(generate, own);
    await rm(join(own, "codegen.ts"), { force: true });
    await compile(own);
    expect(await runNode([TOOLS.tsx, "main.ts"], own, env)).toMatch(printed);
  },
);
