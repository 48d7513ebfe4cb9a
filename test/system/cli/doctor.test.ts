import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defineConnector, SaasManagementClient, storeLedger } from "../../../src/index.js";
import { FileStore } from "../../../src/sync/ledger/file-store.js";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli } from "../../support/cli.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { certificateFile, keyFile } from "../../support/tls-certificates.js";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "doctor-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function start(options?: Parameters<typeof startReferenceServer>[0]) {
  const server = await startReferenceServer(options);
  onTestFinished(() => server.close());
  const env = {
    SAAS_MANAGEMENT_BASE_URL: server.baseUrl,
    SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
    SAAS_MANAGEMENT_API_KEY: server.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: server.installationId,
    XDG_STATE_HOME: folder(),
  };
  return { server, env };
}

/** What `doctor` said of each check. */
async function doctor(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { code, out } = await runCli(["doctor", "--json", ...args], { env, cwd: folder() });
  const { checks } = JSON.parse(out);
  const found: Record<string, { state: string; text: string; advice?: string }> = {};
  for (const { name, ...rest } of checks) found[name] = rest;
  return { code, found };
}

const problemsOf = (found: Record<string, { state: string }>) =>
  Object.keys(found).filter((name) => found[name]?.state === "problem");

test("finds that all is well, and takes no lock", async () => {
  const { server, env } = await start();
  const { code, found } = await doctor(env);
  expect({ code, problems: problemsOf(found) }).toEqual({ code: 0, problems: [] });
  expect(found["Sync key"]?.text).toContain("no lock was taken");
  expect(found["ledger"]?.text).toContain("GiB free");
  expect(found["temporary folder"]?.text).toContain("GiB free");
  expect(found["installation"]).toMatchObject({ state: "skipped" });
  expect(server.inspect().batches).toEqual([]);
});

test("--take-lock starts a batch and aborts it", async () => {
  const { server, env } = await start();
  const { found } = await doctor(env, "--take-lock");
  expect(found["installation"]?.text).toContain("its lock is free");
  expect(server.inspect().batches).toMatchObject([{ state: "aborted" }]);
});

test("prints a line for each check, and what to do", async () => {
  const { env } = await start();
  const { SAAS_MANAGEMENT_API_KEY: _, ...keyless } = env;
  const { code, out } = await runCli(["doctor"], { env: keyless, cwd: folder() });
  expect(code).toBe(78);
  expect(out).toMatch(/^PROBLEM {2}credential +there is no API key\n +Set SAAS_MANAGEMENT_API_KEY/m);
  expect(out).toMatch(/^ok {7}clock +agrees/m);
  expect(out).toContain("need attention.");
});

test("tells keys that are unknown, revoked or may not sync apart from a service that is not there", async () => {
  const { server, env } = await start();
  const unknown = await doctor({ ...env, SAAS_MANAGEMENT_API_KEY: "smk_other" });
  expect({ code: unknown.code, problems: problemsOf(unknown.found) }).toEqual({
    code: 77,
    problems: ["GraphQL key", "Sync key"],
  });
  const reading = await doctor({ ...env, SAAS_MANAGEMENT_API_KEY: server.createApiKey({ scope: "read" }) });
  expect({ code: reading.code, problems: problemsOf(reading.found) }).toEqual({
    code: 77,
    problems: ["Sync key"],
  });
  await server.close();
  const gone = await doctor(env);
  expect(gone.code).toBe(69);
  expect(problemsOf(gone.found)).toContain("GraphQL key");
  const { out } = await runCli(["doctor"], { env, cwd: folder() });
  expect(out).not.toContain(env.SAAS_MANAGEMENT_API_KEY);
});

test("names the process of this ledger that has the lock", async () => {
  const { server, env } = await start();
  const { syncUrl, apiKey, installationId } = server;
  const files = new FileStore(join(env.XDG_STATE_HOME, "saas-management", "ledger"));
  const whileSending = async () => {
    const { found } = await doctor(env, "--take-lock");
    expect(found["lock"]?.text).toContain(`process ${process.pid} on `);
    expect(found["installation"]).toMatchObject({
      state: "problem",
      text: expect.stringContaining("holds its lock"),
    });
  };
  const store = watchedStore(files, async (call, go) => {
    if (isPutOf("ids")(call)) await whileSending();
    return go();
  });
  const sync = { installationId, ledger: storeLedger(store) };
  await using client = new SaasManagementClient({ syncUrl, apiKey, sync });
  const connector = defineConnector({
    snapshots: ["accounts"],
    run: (batch) => batch.write("accounts", [{ id: "u1" }]),
  });
  await client.sync.run(connector, { firstRun: true });
  const { found } = await doctor(env);
  expect(found["lock"]?.text).toBe("no run of this ledger is under way");
});

test("looks at the certificate as a client does", async () => {
  const tls = {
    cert: readFileSync(certificateFile("self-signed"), "utf8"),
    key: readFileSync(keyFile("self-signed"), "utf8"),
  };
  const { env } = await start({ host: "localhost", tls });
  const untrusted = await doctor(env);
  expect(untrusted.found["GraphQL API certificate"]).toMatchObject({
    state: "problem",
    advice: expect.stringContaining("set tls.ca to the certificate"),
  });
  const config = join(folder(), "saas-management.config.json");
  writeFileSync(config, JSON.stringify({ tls: { ca: tls.cert } }));
  const { found } = await doctor(env, "--config", config);
  expect(found["GraphQL API certificate"]).toMatchObject({ text: expect.stringContaining("TLSv1.3") });
  expect(found["GraphQL key"]).toMatchObject({ state: "ok" });
});

test("finds a host without an address, and a clock that is wrong", async () => {
  const hour = 3_600_000;
  const late = createServer((_, response) => {
    response.setHeader("date", new Date(Date.now() + hour).toUTCString()).end();
  });
  await new Promise<void>((listening) => late.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void late.close());
  const address = late.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { found } = await doctor({
    SAAS_MANAGEMENT_BASE_URL: `http://127.0.0.1:${port}`,
    SAAS_MANAGEMENT_SYNC_URL: "https://sync.invalid",
    XDG_STATE_HOME: folder(),
  });
  expect(found["clock"]).toMatchObject({
    state: "problem",
    text: expect.stringMatching(/^3(599|600) s behind/),
  });
  expect(found["Sync API host"]).toMatchObject({ state: "problem" });
});

test("finds a ledger that cannot be written", async () => {
  const { env } = await start();
  const file = join(folder(), "file");
  writeFileSync(file, "");
  const { found } = await doctor({ ...env, XDG_STATE_HOME: file });
  expect(found["ledger"]).toMatchObject({ state: "problem" });
});
