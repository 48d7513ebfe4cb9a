import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli } from "../../support/cli.js";
import { type ConsumerFolder, makeConsumerFolder, runNode } from "../consumers/packed-package.js";

let consumers: ConsumerFolder;
beforeAll(async () => {
  consumers = await makeConsumerFolder();
}, 120_000);
afterAll(() => consumers.remove());

test("makes a project whose tests pass as written, and whose connector runs", async () => {
  const parent = await consumers.write("projects", {});
  const project = join(parent, "acme-connector");
  expect(await runCli(["init", project])).toMatchObject({ code: 0 });
  await symlink(join(parent, "node_modules"), join(project, "node_modules"));
  const tested = await runNode(["--test"], project, { NODE_OPTIONS: "", VITEST: "" });
  expect(tested).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(tested)?.[1])).toBeGreaterThan(10);

  await using server = await startReferenceServer();
  const env = {
    SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
    SAAS_MANAGEMENT_API_KEY: server.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: server.installationId,
  };
  const cli = join(parent, "node_modules/@saas-management/sdk/dist/cli/main.js");
  await runNode([cli, "run", "connector.js", "--first-run"], project, env);
  expect(server.inspect().snapshots.accounts).toHaveLength(24);
  // The ledger of the configuration.
  expect(existsSync(join(project, "state/ledger"))).toBe(true);
  await runNode([cli, "run", "connector.js"], project, env);
}, 180_000);

test("overwrites nothing, and refuses names that npm or Kubernetes would refuse", async () => {
  const folder = mkdtempSync(join(tmpdir(), "init-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const project = join(folder, "acme");
  expect(await runCli(["init", project])).toMatchObject({ code: 0 });
  const before = readFileSync(join(project, "package.json"), "utf8");
  expect(await runCli(["init", project])).toMatchObject({
    code: 2,
    error: expect.stringContaining("not empty"),
  });
  expect(readFileSync(join(project, "package.json"), "utf8")).toBe(before);
  expect(await runCli(["init", join(folder, "Acme Connector")])).toMatchObject({ code: 2 });
});
