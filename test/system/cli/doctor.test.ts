import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SaasManagementClient, storeLedger } from "../../../src/index.js";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { startReferenceServer } from "../../../src/testing/index.js";
import { runCli, startCli } from "../../support/cli.js";
import { connectorOf } from "../../support/connector.js";
import { startConnectProxy } from "../../support/http-server.js";
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

/** What `doctor` said about each check. */
async function doctor(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { code, out } = await runCli(["doctor", "--json", ...args], { env, cwd: folder() });
  const { checks } = JSON.parse(out);
  const found: Record<string, { state: string; text: string }> = {};
  for (const { name, ...rest } of checks) found[name] = rest;
  return { code, found, problems: Object.keys(found).filter((name) => found[name]?.state === "problem") };
}

test("finds that all is well, and takes no lock", async () => {
  const { server, env } = await start();
  const { code, found, problems } = await doctor(env);
  expect({ code, problems }).toEqual({ code: 0, problems: [] });
  expect(Object.keys(found)).toEqual(
    "configuration,proxy,clock,GraphQL API,Sync API,installation,ledger,lock".split(","),
  );
  expect(found["Sync API"]?.text).toContain("no lock was taken");
  expect(server.inspect().batches).toEqual([]);
  // The folder that the first run would create.
  expect(readdirSync(join(env.XDG_STATE_HOME, "saas-management", "ledger"), { recursive: true })).toEqual([
    expect.stringMatching(new RegExp(`^${server.installationId}-\\w+$`)),
  ]);
});

test("prints a line per check, and what to do", async () => {
  const { env } = await start();
  const { SAAS_MANAGEMENT_API_KEY: _, ...keyless } = env;
  const { code, out } = await runCli(["doctor"], { env: keyless, cwd: folder() });
  expect(code).toBe(77);
  expect(out).toMatch(
    /^PROBLEM {2}Sync API +No credential: use SAAS_MANAGEMENT_API_KEY or --api-key-file FILE/m,
  );
  expect(out).toMatch(/^ok {7}clock +agrees/m);
  expect(out).toContain("need attention.");
});

test.each([
  ["a server that is gone", { SAAS_MANAGEMENT_BASE_URL: "http://127.0.0.1:9" }, 69],
  ["the last check", { SAAS_MANAGEMENT_INSTALLATION_ID: "" }, 78],
  ["nothing", {}, 0],
])("ends with the exit code of its checks even if nobody reads them: %s", async (_, changed, expected) => {
  const { env } = await start();
  for (const lines of [0, 1]) {
    const child = startCli(["doctor"], { env: { ...env, ...changed }, cwd: folder(), input: "" });
    const ended = once(child, "exit");
    if (lines > 0) await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await ended).toEqual([expected, null]);
  }
});

test("reports a missing installation id, because a push needs one", async () => {
  const { env } = await start();
  const { SAAS_MANAGEMENT_INSTALLATION_ID: _, ...rest } = env;
  const { code, problems } = await doctor(rest);
  expect({ code, problems }).toEqual({ code: 78, problems: ["installation"] });
});

test("tells apart a key that is unknown, a key that may not sync, and a service that can't be reached", async () => {
  const { server, env } = await start();
  const unknown = await doctor({ ...env, SAAS_MANAGEMENT_API_KEY: "smk_other" });
  expect(unknown).toMatchObject({ code: 77, problems: ["GraphQL API", "Sync API"] });
  const reading = await doctor({ ...env, SAAS_MANAGEMENT_API_KEY: server.createApiKey({ scope: "read" }) });
  expect(reading).toMatchObject({ code: 77, problems: ["Sync API"] });
  await server.close();
  const { code, problems } = await doctor(env);
  expect({ code, problems }).toEqual({ code: 69, problems: ["clock", "GraphQL API", "Sync API"] });
});

test.each([
  [0, "is in progress"],
  [20_000, "considered dead, so the next run aborts it"],
])(
  "names the process of this ledger that has the lock and has been silent for %i ms",
  async (silentMs, said) => {
    const { server, env } = await start();
    const { syncUrl, apiKey, installationId } = server;
    const files = new FileStore(join(env.XDG_STATE_HOME, "saas-management", "ledger"));
    const store = watchedStore(files, async (call, go) => {
      if (isPutOf("ids")(call))
        expect((await doctor(env)).found["lock"]?.text).toMatch(
          new RegExp(`process ${process.pid} on .*${said}$`),
        );
      return go();
    });
    const sync = { installationId, ledger: storeLedger(store) };
    await using client = new SaasManagementClient({
      ...{ syncUrl, apiKey, sync },
      clock: { now: () => Date.now() - silentMs },
    });
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", [{ id: "u1" }]));
    await client.sync.run(connector, { firstRun: true });
    expect((await doctor(env)).found["lock"]?.text).toBe("no run of this ledger is in progress");
  },
);

test("checks the certificate the way a client does", async () => {
  const tls = {
    cert: readFileSync(certificateFile("self-signed"), "utf8"),
    key: readFileSync(keyFile("self-signed"), "utf8"),
  };
  const { env } = await start({ host: "localhost", tls });
  const untrusted = await doctor(env);
  expect(untrusted.found["GraphQL API"]?.text).toContain("set tls.ca to the certificate");
  const config = join(folder(), "saas-management.config.json");
  writeFileSync(config, JSON.stringify({ tls: { ca: tls.cert } }));
  expect((await doctor(env, "--config", config)).problems).toEqual([]);
});

test("names the environment's proxy, and the service that it cannot reach", async () => {
  const proxy = await startConnectProxy({ status: 502 });
  const url = `http://ada:secret@127.0.0.1:${proxy.port}`;
  const env = {
    SAAS_MANAGEMENT_BASE_URL: "https://api.invalid",
    SAAS_MANAGEMENT_API_KEY: "key-12345",
    HTTPS_PROXY: url,
  };
  const { found } = await doctor(env);
  const named = `http://127.0.0.1:${proxy.port} of HTTPS_PROXY`;
  expect(found["proxy"]).toEqual({ state: "ok", text: `${named} accepts connections` });
  expect(found["GraphQL API"]?.text).toContain(`(proxy: ${named}, HTTP 502)`);
});

test("finds a host without an address, and says that no proxy is used", async () => {
  const { found } = await doctor({
    SAAS_MANAGEMENT_SYNC_URL: "https://sync.invalid",
    SAAS_MANAGEMENT_API_KEY: "key-12345",
  });
  expect(found["proxy"]).toMatchObject({ state: "skipped" });
  expect(found["Sync API"]?.text).toMatch(
    /the host name cannot be resolved.*set HTTPS_PROXY if it needs a proxy/,
  );
});

test("finds that the clock is wrong", async () => {
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
    XDG_STATE_HOME: folder(),
  });
  expect(found["clock"]).toMatchObject({
    state: "problem",
    text: expect.stringMatching(/^\d+ s behind/),
  });
  // The answer may have been slow.
  const seconds = Number.parseInt(found["clock"]?.text ?? "", 10);
  expect(seconds).toBeGreaterThan(3000);
  expect(seconds).toBeLessThanOrEqual(3600);
});

test("finds a ledger that cannot be written, and why", async () => {
  const { env } = await start();
  const file = join(folder(), "file");
  writeFileSync(file, "");
  const { code, found } = await doctor({ ...env, XDG_STATE_HOME: file });
  expect({ code, ...found["ledger"] }).toEqual({
    code: 78,
    state: "problem",
    text: expect.stringContaining("ENOTDIR"),
  });
});
