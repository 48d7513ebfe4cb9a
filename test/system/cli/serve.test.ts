import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { credentials } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { defineConnector, SaasManagementClient } from "../../../src/index.js";
import { post } from "../../reference-server/graphql-setup.js";
import { CLI, runCli, startCli } from "../../support/cli.js";
import { PlainClient } from "../../support/grpc-client.js";
import { testService } from "../../support/test-service.js";
import { certificateFile, keyFile } from "../../support/tls-certificates.js";
import { programFile } from "../programs.js";

const service = testService();
const run = (...args: string[]) => runCli(args);
const TLS = ["--tls-cert", certificateFile("self-signed"), "--tls-key", keyFile("self-signed")];

/** Runs `serve` until it has printed its addresses. */
async function serve(...args: string[]) {
  const child = startCli(["serve", ...args]);
  let out = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    out += String(chunk);
    if (out.includes("\nSAAS_MANAGEMENT_INSTALLATION_ID=")) break;
  }
  const value = (pattern: RegExp): string => pattern.exec(out)?.[1] ?? "";
  return {
    child,
    out,
    baseUrl: value(/BASE_URL=(\S+)/),
    syncUrl: value(/SYNC_URL=(\S+)/),
    apiKey: value(/API_KEY=(\S+)/),
    installationId: value(/SAAS_MANAGEMENT_INSTALLATION_ID=(\S+)/),
  };
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "serves both APIs on loopback and exits with 0 on %s",
  async (signal) => {
    const { child, out, baseUrl, syncUrl, apiKey, installationId } = await serve();
    expect(out).toContain(`${baseUrl}/graphql`);
    expect([baseUrl, syncUrl].map((url) => new URL(url).hostname)).toEqual(["127.0.0.1", "127.0.0.1"]);
    await new PlainClient(syncUrl, `ApiKey ${apiKey}`).start(installationId);
    const response = await fetch(`${baseUrl}/graphql`, post("{ __typename }", apiKey));
    expect(await response.json()).toEqual({ data: { __typename: "Query" } });
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);

test("prints an environment file", async () => {
  const { out, baseUrl, syncUrl, apiKey, installationId } = await serve();
  expect(parseEnv(out)).toEqual({
    SAAS_MANAGEMENT_BASE_URL: baseUrl,
    SAAS_MANAGEMENT_SYNC_URL: syncUrl,
    SAAS_MANAGEMENT_API_KEY: apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: installationId,
  });
});

test("accepts a host, ports and a certificate", async () => {
  const served = await serve("--host", "localhost", ...TLS);
  expect(served.baseUrl).toMatch(/^https:\/\/localhost:/);
  const root = credentials.createSsl(readFileSync(certificateFile("self-signed")));
  await new PlainClient(served.syncUrl, `ApiKey ${served.apiKey}`, root).start(served.installationId);
  served.child.kill("SIGTERM");
  await once(served.child, "exit");
  const { port } = new URL(served.syncUrl);
  expect(new URL((await serve("--sync-port", port)).syncUrl).port).toBe(port);
});

/** Sends a request without checking the certificate. */
async function askUnchecked(url: string, apiKey: string, query: string): Promise<unknown> {
  const { method, headers, body } = post(query, apiKey);
  const request = httpsRequest(url, { method, headers: { ...headers }, rejectUnauthorized: false });
  request.end(body);
  const [response] = await once(request, "response");
  return JSON.parse(await text(response));
}

test.each(["server", "self-signed", "expired", "named", "client"] as const)(
  "serves the demo company with any certificate: %s",
  async (name) => {
    const served = await serve("--demo", "--tls-cert", certificateFile(name), "--tls-key", keyFile(name));
    const url = `${served.baseUrl}/graphql`;
    const { data } = Object(await askUnchecked(url, served.apiKey, "{ licenses { totalCount } }"));
    expect(data.licenses.totalCount).toBeGreaterThan(100);
  },
);

test.each([
  ["127.0.0.2", ""],
  ["localhost", ""],
  ["0.0.0.0", "Warning: other machines may reach this server at 0.0.0.0.\n"],
])(
  "says on stderr that it is serving, and warns about hosts that other machines can reach: %s",
  async (host, warning) => {
    const { child, baseUrl, syncUrl } = await serve("--host", host);
    const lines = `${warning}Serving at ${baseUrl}/graphql and ${syncUrl} until Ctrl+C.\n`;
    child.kill("SIGTERM");
    expect(await text(child.stderr)).toBe(lines);
  },
);

/** Runs `serve --write-env` until it reports that it serves, or exits. */
async function serveInto(file: string, ...args: string[]) {
  const child = startCli(["serve", "--write-env", file, ...args]);
  let error = "";
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    error += String(chunk);
    if (error.endsWith("\n")) break;
  }
  return { child, error };
}

test("--write-env writes a file that only its owner can read, prints no key, and removes the file at the end", async () => {
  const file = join(service.directory, ".env");
  for (const args of [[], ["--demo"]]) {
    const { child, error } = await serveInto(file, ...args);
    expect(error).toMatch(
      /^Serving at http:\/\/\S+\/graphql and http:\/\/\S+ until Ctrl\+C\. The settings are in /,
    );
    const { SAAS_MANAGEMENT_BASE_URL: baseUrl, SAAS_MANAGEMENT_API_KEY: apiKey = "" } = parseEnv(
      readFileSync(file, "utf8"),
    );
    const response = await fetch(`${baseUrl}/graphql`, post("{ __typename }", apiKey));
    expect(await response.json()).toEqual({ data: { __typename: "Query" } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    child.kill("SIGTERM");
    expect(await text(child.stdout)).toBe("");
    expect(existsSync(file)).toBe(false);
  }
});

test.each<[what: string, change: (text: string) => string]>([
  ["of a server that runs", (text) => text],
  ["with a variable of the user", (text) => `${text}DATABASE_URL=postgres://db\n`],
  ["with the key of the real service", (text) => text.replace(/(?<=API_KEY=).+/, "real")],
  ["without a line", () => ""],
])("--write-env leaves a file alone %s, also when its server stops", async (_, change) => {
  const file = join(service.directory, "changed.env");
  const { child } = await serveInto(file);
  const written = readFileSync(file, "utf8");
  const changed = change(written);
  writeFileSync(file, changed);
  const { code, out, error } = await run("serve", "--write-env", file);
  expect({ code, out, error }).toEqual({ code: 2, out: "", error: expect.stringMatching(USAGE_ERROR) });
  expect(error).toContain(`--write-env ${file} exists`);
  expect(readFileSync(file, "utf8")).toBe(changed);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(existsSync(file)).toBe(changed !== written);
});

test("exits with 2 if a port is taken", async () => {
  const { baseUrl } = await serve();
  const { code, error } = await run("serve", "--port", new URL(baseUrl).port);
  expect(code).toBe(2);
  expect(error).toContain("EADDRINUSE");
  expect(error).toContain("Choose another port");
});

test("prints the version of the package with --version", async () => {
  expect(await run("--version")).toEqual({ code: 0, out: `${manifest.version}\n`, error: "" });
});

const USAGE_ERROR = /^saas-management: [^\p{Cc}\p{Cf}]{1,400}\nTry "saas-management( serve)? --help"\.\n$/u;

test.each<[what: string, args: string[], named: string]>([
  ["an unknown command", ["start"], "'start'"],
  ["an unknown option", ["serve", "--prot", "1"], "'--prot'"],
  ["an option without its value", ["serve", "--port"], "--port"],
  ["an option without its value, last", ["serve", "--host"], "'--host <address>'"],
  ["a long argument", ["x".repeat(9000)], `'${"x".repeat(100)}…'`],
  ["too many arguments", ["serve", "now"], "Too many arguments"],
  ["a port that is too large", ["serve", "--port", "65536"], "--port"],
  ["a port that is not a number", ["serve", "--sync-port", "1e3"], "--sync-port"],
  ["a certificate without its key", ["serve", "--tls-cert", "x"], "--tls-key"],
  ["a file that does not exist", ["serve", "--tls-cert", "/nope.pem", "--tls-key", CLI], "ENOENT"],
  ["a folder that does not exist", ["serve", "--write-env", "/nope/.env"], "ENOENT"],
  ["a folder in place of a file", ["serve", "--write-env", "/tmp"], "exists"],
  ["an invalid certificate", ["serve", "--tls-cert", CLI, "--tls-key", CLI], "tls"],
])("exits with 2 and explains %s", async (_, args, named) => {
  const { code, out, error } = await run(...args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(error).toMatch(USAGE_ERROR);
  expect(error).toContain(named);
});

test.each([
  ["over HTTP", [], undefined],
  ["over TLS", [...TLS, "--host", "localhost"], certificateFile("self-signed")],
])(
  "--demo has unused licenses and renewals %s, and leaves the printed installation empty",
  async (_, args, ca) => {
    const { baseUrl, syncUrl, apiKey, installationId } = await serve("--demo", ...args);
    const tls = ca === undefined ? undefined : { ca: readFileSync(ca, "utf8") };
    await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, tls });
    const unused = client.graphql.licenses({ where: { state: { activity: { eq: "UNUSED" } } } });
    expect(await unused.totalCount()).toBeGreaterThan(100);
    const plans = await client.graphql.licensePlans().toArray();
    expect(plans).toHaveLength(5);
    for (const plan of plans) expect(plan.contractDetails?.renewal?.upcomingDate?.value).toMatch(/^\d{4}-/);
    const run = client.sync.run(defineConnector({ snapshots: [], run: async () => {} }), {
      installationId,
      ledger: "none",
    });
    expect((await run).restarts).toBe(0);
  },
);

test("lets the process exit after close(), no matter what clients do", async () => {
  const child = spawn(process.execPath, [programFile("close-script")]);
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await text(child.stdout)).toBe("closed\n");
});
