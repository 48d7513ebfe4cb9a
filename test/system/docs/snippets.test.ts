import { execFile } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../../src/cli/serve/command.js";
import { DOCS, Page } from "../../docs/pages.js";
import { PACKAGE } from "../built-package.js";
import { bundle } from "../programs.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const OUT = `${ROOT}build/snippets/`;

// The README's snippets run from the packed package: see readme.test.ts.
const pages = await Promise.all(DOCS.map((path) => Page.read(path)));
const snippets = pages.flatMap((page) =>
  page.snippets().map((code, index) => ({ name: `${page.path.replace(/\W+/g, "-")}-${index + 1}`, code })),
);
/** Serves the demo data, so that every snippet that reads has something to show. */
let server: ReferenceServer;

beforeAll(async () => {
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  for (const { name, code } of snippets) {
    // A file without an import would be a script, which allows no top-level await.
    await writeFile(`${OUT}${name}.ts`, `${code}\nexport {};\n`);
  }
  // The snippets are checked against the declarations, like a reader's code, not against the sources.
  const paths = {
    "@saas-management/sdk": [`${PACKAGE.dist}/index.d.ts`],
    "@saas-management/sdk/*": [`${PACKAGE.dist}/*/index.d.ts`],
  };
  const tsconfig = {
    extends: "../../tsconfig.dev.json",
    compilerOptions: { paths },
    include: ["*.ts"],
    exclude: [],
  };
  await writeFile(`${OUT}tsconfig.json`, JSON.stringify(tsconfig));
  await bundle(
    snippets.map(({ name }) => `${OUT}${name}.ts`),
    OUT,
  );
  await copyFile(new URL("Benutzer.xlsx", import.meta.url), `${OUT}Benutzer.xlsx`);
  server = await serve({ demo: true });
});
afterAll(() => server.close());

test("every snippet of the docs type-checks", { timeout: 120_000 }, async () => {
  expect(snippets.length).toBeGreaterThan(20);
  await run(process.execPath, ["node_modules/typescript-7/bin/tsc", "-p", "build/snippets"], { cwd: ROOT });
});

test.each(snippets.map(({ name }) => name))("snippet %s runs", async (name) => {
  await run(process.execPath, [`${OUT}${name}.js`, "--first-run"], {
    // The files that a snippet writes are removed together with the snippet.
    cwd: OUT,
    env: {
      ...process.env,
      SAAS_MANAGEMENT_BASE_URL: server.baseUrl,
      SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
      SAAS_MANAGEMENT_API_KEY: server.apiKey,
      SAAS_MANAGEMENT_INSTALLATION_ID: server.installationId,
      XDG_STATE_HOME: `${OUT}state-${name}`,
    },
  });
});

test("reads a workbook as the guide shows", async () => {
  const name = snippets.find(({ code }) => code.includes("readSheet"))?.name;
  const program = `import { users } from "./${name}.js"; for await (const rows of users) console.log(JSON.stringify(rows))`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: OUT });
  expect(stdout).toBe('[{"id":"1001","email":"jürgen@example.com"}]\n[{"id":"007","email":null}]\n');
});
