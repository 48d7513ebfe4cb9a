/** The SDK and the reference server, generated from a contract with different records and fewer collections. */
import { execFile } from "node:child_process";
import { cp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Collection, RecordOf } from "@saas-management/sdk";
import { beforeAll, expect, test } from "vitest";
import { FLAT } from "../contract/fixtures.js";
import { fullRecords } from "../contract/full-record.js";
import { collectionsOf, generate } from "../contract/generated.js";

const run = promisify(execFile);
const FOLDER = resolve("build/contract-src");
const SRC = join(FOLDER, "src");
const TIMEOUT_MS = 240_000;

beforeAll(async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await cp("src", SRC, { recursive: true });
  await rm(join(SRC, "sync/generated"), { recursive: true });
  generate(FLAT, SRC);
}, TIMEOUT_MS);

test("src compiles, except for its demo data", { timeout: TIMEOUT_MS }, async () => {
  const config = { extends: resolve("tsconfig.json"), compilerOptions: { rootDir: SRC }, include: [SRC] };
  await writeFile(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const compiled = run("node_modules/typescript-7/bin/tsc", ["-p", FOLDER, "--noEmit", "--pretty", "false"]);
  const { stdout } = await compiled.catch((error: { readonly stdout: string }) => error);
  const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
  expect(errors.filter((error) => !error.includes("src/cli/serve/"))).toEqual([]);
});

test("records without variants come back from the reference server", { timeout: TIMEOUT_MS }, async () => {
  const { SaasManagementClient }: typeof import("@saas-management/sdk") = await import(join(SRC, "index.ts"));
  const { startReferenceServer }: typeof import("@saas-management/sdk/testing") = await import(
    join(SRC, "testing/index.ts")
  );
  await using server = await startReferenceServer();
  const { apiKey, syncUrl, baseUrl, installationId } = server;
  await using client = new SaasManagementClient({ apiKey, syncUrl, baseUrl });
  const inputs = collectionsOf(FLAT).map(({ name, record }) => {
    const records: RecordOf<Collection>[] = JSON.parse(JSON.stringify(fullRecords(record)));
    const collection: Collection = JSON.parse(JSON.stringify(name));
    return { collection, records };
  });
  const batch = await client.sync.startBatch({ installationId });
  for (const { collection, records } of inputs) await batch.write(collection, records);
  await batch.complete();
  const next = await client.sync.startBatch({ installationId });
  const broken = next.write("accounts", JSON.parse('[{ "key": "k" }]'));
  await expect(broken).rejects.toMatchObject({ issues: [{ path: "state" }] });
  await next.abort();
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  const { snapshots } = server.inspect(installationId);
  for (const { collection, records } of inputs) {
    const stored = snapshots[collection].map(({ record }) => record);
    expect(JSON.parse(JSON.stringify(stored, plain))).toEqual(records);
  }
  expect(snapshots.accounts.map(({ id }) => id)).toEqual(["generic-key"]);
  expect(await client.graphql.licenses().toArray()).toEqual([]);
});
