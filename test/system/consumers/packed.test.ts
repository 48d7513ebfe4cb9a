import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startCli } from "../../support/cli.js";
import { served } from "../../support/serve.js";
import { HANDLED } from "./cells.js";
import { definitions } from "./definitions.js";
import { type ConsumerFolder, makeConsumerFolder, runNode } from "./packed-package.js";

const example = (file: string) => fileURLToPath(new URL(`../../../examples/${file}`, import.meta.url));
let folder: ConsumerFolder;

beforeAll(async () => {
  folder = await makeConsumerFolder();
}, 300_000);
afterAll(() => folder.remove());

const lazy = /node_modules\/(@grpc|graphql|graphql-request|undici|zod)\//;

test("importing the package and creating a client loads neither gRPC, GraphQL, undici nor zod", async () => {
  const loaded = await modulesLoaded();
  expect(loaded.some((url) => url.includes("/sdk/dist/shared/client.js"))).toBe(true);
  expect(loaded.filter((url) => lazy.test(url))).toEqual([]);
  // The first use loads these packages, which proves that the pattern is right.
  expect((await modulesLoaded("use")).filter((url) => lazy.test(url))).not.toEqual([]);
});

test("the modules for runs and previews load with the first run or preview", async () => {
  const count = (loaded: readonly string[]) =>
    loaded.filter((url) => url.includes("/sdk/dist/shared/run.js")).length;
  expect(count(await modulesLoaded("run"))).toBeGreaterThan(count(await modulesLoaded()));
});

// Bun, Deno and workerd are in the matrix. Next itself doesn't run: serve-route.mjs calls its route as Next does.
test.each(["node.ts", "express.ts", "hono.ts", "serve-route.mjs"])(
  "the handler example works: %s",
  async (program) => {
    const app = await folder.add("handlers");
    await cp(example("handlers"), app, { recursive: true });
    const printed = await runNode(["check.mjs", process.execPath, "--import=tsx", program], app);
    expect(JSON.parse(printed)).toEqual(HANDLED);
  },
);

test("the packed command line serves the demo company's data and reports on it", async () => {
  const program = [`${folder.installed}/dist/cli/main.js`];
  const { env } = await served(startCli(["serve", "--json", "--demo"], { program }));
  expect(await runCli(["report"], { program, env })).toMatchObject({
    code: 0,
    out: expect.stringContaining("Renewals within 90 days"),
  });
});

test('"Go to Definition" in an editor opens the source of a called function', async () => {
  const code = [
    'import { fileLedger, type RunReceipt, SaasManagementClient } from "@saas-management/sdk";',
    'import { fromCsv } from "@saas-management/sdk/sources";',
    'import { TestClock } from "@saas-management/sdk/testing";',
    "export const client = SaasManagementClient.fromEnv();",
    "export const batch = client.sync.startBatch();",
    "export const licenses = client.graphql.licenses({ where: {} });",
    "export const changed = (receipt: RunReceipt) => receipt.surprises;",
    "export const rest = [fileLedger, fromCsv, new TestClock().advance];",
  ];
  const app = await folder.write("editor", {
    "main.ts": code.join("\n"),
    "package.json": JSON.stringify({ type: "module" }),
    "tsconfig.json": JSON.stringify({ compilerOptions: { module: "nodenext", strict: true } }),
  });
  const names =
    "SaasManagementClient fromEnv startBatch licenses( where RunReceipt) surprises fileLedger fromCsv advance".split(
      " ",
    );
  const found = await definitions(join(app, "main.ts"), code, names);
  expect(found).toEqual(
    names.map((name) => [name.replace(/\W/, ""), expect.stringMatching(/\/dist\/src\/.*\.ts$/)]),
  );
});

async function modulesLoaded(...args: string[]): Promise<readonly string[]> {
  const app = await folder.add("loading");
  return (await runNode(["main.js", ...args], app)).split("\n");
}
