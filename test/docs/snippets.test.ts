import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = new URL("../../", import.meta.url);
const OUT = new URL("build/snippets/", ROOT);

interface Snippet {
  readonly name: string;
  readonly code: string;
}

async function snippets(): Promise<Snippet[]> {
  const docs = (await readdir(new URL("docs/", ROOT))).filter((file) => file.endsWith(".md"));
  const files = ["README.md", ...docs.map((file) => `docs/${file}`)];
  const found: Snippet[] = [];
  for (const file of files) {
    const text = await readFile(new URL(file, ROOT), "utf8");
    for (const [index, match] of [...text.matchAll(/^```ts\n(.*?)^```/gms)].entries()) {
      const name = `${file.replace(/\W+/g, "-")}-${index + 1}`;
      // A file without an import would be a script, which takes no top-level await.
      found.push({ name, code: `${match[1] ?? ""}\nexport {};\n` });
    }
  }
  return found;
}

const all = await snippets();
let server: ReferenceServer;

beforeAll(async () => {
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  for (const { name, code } of all) await writeFile(new URL(`${name}.ts`, OUT), code);
  await writeFile(
    new URL("tsconfig.json", OUT),
    JSON.stringify({ extends: "../../tsconfig.dev.json", include: ["*.ts"], exclude: [] }),
  );
  server = await startReferenceServer();
});
afterAll(() => server.close());

describe("the snippets in README and docs", () => {
  it("are there", () => {
    expect(all.length).toBeGreaterThanOrEqual(3);
  });

  it("are typed", { timeout: 120_000 }, async () => {
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "build/snippets"], { cwd: ROOT });
  });

  it.each(all.map(({ name }) => name))("run: %s", { timeout: 60_000 }, async (name) => {
    const path = (relative: string) => fileURLToPath(new URL(relative, ROOT));
    const tsx = [
      path("node_modules/tsx/dist/cli.mjs"),
      "--tsconfig",
      path("tsconfig.dev.json"),
      path(`build/snippets/${name}.ts`),
    ];
    await run(process.execPath, tsx, {
      // What a snippet writes beside itself goes with it.
      cwd: OUT,
      timeout: 50_000,
      env: {
        ...process.env,
        SAAS_MANAGEMENT_BASE_URL: server.baseUrl,
        SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
        SAAS_MANAGEMENT_API_KEY: server.apiKey,
        INSTALLATION_ID: server.installationId,
      },
    });
  });
});
