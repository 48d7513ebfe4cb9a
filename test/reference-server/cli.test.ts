import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { credentials } from "@grpc/grpc-js";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { PlainClient } from "../support/grpc-client.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../support/property-runs.js";
import { certificateFile, keyFile } from "../support/tls-certificates.js";
import { post } from "./graphql-setup.js";

const cli = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

function start(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ["--import", "tsx", cli, ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs to the end. */
async function run(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const child = start(...args);
  const [[code], out, error] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, error };
}

/** Runs `serve` until it has said where it is. */
async function serve(...args: string[]) {
  const child = start("serve", ...args);
  let out = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    out += String(chunk);
    if (out.includes("\nINSTALLATION_ID=")) break;
  }
  const value = (pattern: RegExp): string => pattern.exec(out)?.[1] ?? "";
  return {
    child,
    out,
    baseUrl: value(/BASE_URL=(\S+)/),
    syncUrl: value(/SYNC_URL=(\S+)/),
    apiKey: value(/API_KEY=(\S+)/),
    installationId: value(/INSTALLATION_ID=(\S+)/),
  };
}

/** A JSON file that is gone after the test. */
function jsonFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "saas-management-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "portfolio.json");
  writeFileSync(file, content);
  return file;
}

describe("saas-management serve", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("serves both APIs, and stops cleanly at %s", async (signal) => {
    const { child, out, baseUrl, syncUrl, apiKey, installationId } = await serve();
    expect(out).toContain(`${baseUrl}/graphql`);
    await new PlainClient(syncUrl, `ApiKey ${apiKey}`).start(installationId);
    const response = await fetch(`${baseUrl}/graphql`, post("{ __typename }", apiKey));
    expect(await response.json()).toEqual({ data: { __typename: "Query" } });
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("prints what can be used as an environment file as it is", async () => {
    const { out, baseUrl, syncUrl, apiKey, installationId } = await serve();
    expect(parseEnv(out)).toEqual({
      SAAS_MANAGEMENT_BASE_URL: baseUrl,
      SAAS_MANAGEMENT_SYNC_URL: syncUrl,
      SAAS_MANAGEMENT_API_KEY: apiKey,
      INSTALLATION_ID: installationId,
    });
  });

  test("listens on the loopback address unless it is told otherwise", async () => {
    const { baseUrl, syncUrl } = await serve();
    expect([baseUrl, syncUrl].map((url) => new URL(url).hostname)).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  test("takes ports, a certificate and a portfolio", async () => {
    const portfolio = jsonFile('{ "applications": [{ "name": "Chat" }] }');
    const tls = ["--tls-cert", certificateFile("self-signed"), "--tls-key", keyFile("self-signed")];
    const { baseUrl, syncUrl, apiKey, installationId, child } = await serve(
      "--host",
      "localhost",
      "--portfolio",
      portfolio,
      ...tls,
    );
    expect(baseUrl).toMatch(/^https:\/\/localhost:/);
    const root = readFileSync(certificateFile("self-signed"));
    await new PlainClient(syncUrl, `ApiKey ${apiKey}`, credentials.createSsl(root)).start(installationId);
    child.kill("SIGTERM");
    await once(child, "exit");
    const port = new URL(syncUrl).port;
    const again = await serve("--sync-port", port);
    expect(new URL(again.syncUrl).port).toBe(port);
  });

  test.each([
    ["127.0.0.2", ""],
    ["localhost", ""],
    ["0.0.0.0", "Warning: other machines may reach this server at 0.0.0.0.\n"],
  ])("with --host %s says on standard error: %j", async (host, said) => {
    const { child } = await serve("--host", host);
    child.kill("SIGTERM");
    expect(await text(child.stderr)).toBe(said);
  });

  test("ends with 1 where a port is taken", async () => {
    const { baseUrl } = await serve();
    const { code, error } = await run("serve", "--port", new URL(baseUrl).port);
    expect(code).toBe(1);
    expect(error).toContain("EADDRINUSE");
  });
});

test("--help says what there is, on standard output", async () => {
  const { code, out, error } = await run("--help");
  expect({ code, error }).toEqual({ code: 0, error: "" });
  for (const option of [
    "serve",
    "--port",
    "--sync-port",
    "--host",
    "--portfolio",
    "--tls-cert",
    "--tls-key",
  ]) {
    expect(out).toContain(option);
  }
});

test("--version is the version of the package", async () => {
  expect(await run("--version")).toEqual({ code: 0, out: `${manifest.version}\n`, error: "" });
});

test.each<[string, string[], RegExp]>([
  ["no command", [], /There is no command\./],
  ["an unknown command", ["start"], /There is no command "start"/],
  ["an unknown option", ["serve", "--prot", "1"], /Unknown option '--prot'/],
  ["an option without its value", ["serve", "--port"], /--port/],
  [
    "an option in the place of a value",
    ["serve", "--host", "--port"],
    /'--host' argument is ambiguous\. Did you forget to specify the option argument/,
  ],
  ["an option of one letter that is unknown", ["-x"], /^saas-management: Unknown option '-x'\.\n/],
  ["an argument of many letters", ["x".repeat(9000)], /There is no command "x{100}…"\.\n/],
  ["many arguments", ["serve", ...Array<string>(3000).fill("y")], /Too many arguments: "(y ){50}…"\.\n/],
  ["too many arguments", ["serve", "now"], /Too many arguments: "now"/],
  ["a port that is none", ["serve", "--port", "65536"], /--port must be a port number from 0 to 65535/],
  ["a port that is no number", ["serve", "--sync-port", "1e3"], /--sync-port must be a port number/],
  [
    "a certificate without its key",
    ["serve", "--tls-cert", "x"],
    /--tls-cert and --tls-key must be given together/,
  ],
  [
    "a file that is not there",
    ["serve", "--portfolio", "/nope.json"],
    /--portfolio \/nope\.json cannot be read: ENOENT/,
  ],
  ["a certificate that is none", ["serve", "--tls-cert", cli, "--tls-key", cli], /`tls`/],
])("%s ends with 2 and an explanation on standard error", async (_, args, message) => {
  const { code, out, error } = await run(...args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(error).toMatch(message);
  expect(error).toContain('Try "saas-management --help".');
});

test.each<[string, string, RegExp]>([
  [
    "whose structure is wrong",
    '{ "aplications": [] }',
    /portfolio\.json: portfolio: there is no aplications\./,
  ],
  ["with a value that is wrong", '{ "unusedAfterDays": -1 }', /unusedAfterDays/],
])("a portfolio %s ends with 2", async (_, content, message) => {
  const { code, error } = await run("serve", "--portfolio", jsonFile(content));
  expect(error).toMatch(message);
  expect(code).toBe(2);
});

test(
  "whatever the arguments are, the answer is an exit code and a line, never a stack",
  async () => {
    const argument = fc.oneof(
      fc.constantFrom(
        "serve",
        "--",
        "-",
        "",
        " ",
        "--help",
        "-hv",
        "--version=1",
        "--port",
        "--port=0",
        "--port=65536",
      ),
      fc.constantFrom(
        "--sync-port=1e99",
        "--host",
        "--host=",
        "--tls-cert=/",
        "--tls-key=/nope",
        "--portfolio=/dev/null",
      ),
      fc.constantFrom(
        "--__proto__",
        "--constructor=x",
        "--=",
        "---",
        "a\nforged",
        "\u001b[31m",
        "\u202e",
        "9".repeat(400),
      ),
      fc.string({ unit: "binary", maxLength: 20 }).map((given) => given.replaceAll("\0", "")),
    );
    // The last one ends it: the lists are those that do not begin to serve.
    const args = fc
      .tuple(
        fc.array(argument, { maxLength: 4 }),
        fc.constantFrom("--port=x", "--nope", "--help", "--portfolio=/nope"),
      )
      .map(([given, last]) => [last, ...given]);
    const property = fc.asyncProperty(args, async (given) => {
      const { code, out, error } = await run(...given);
      if (code === 0) {
        expect(error).toBe("");
        return;
      }
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(error).toMatch(/^saas-management: [^\p{Cc}\p{Cf}]{1,400}\nTry "saas-management --help"\.\n$/u);
    });
    await fc.assert(property, { ...LIMITS, numRuns: Math.ceil(RUNS / 30) });
  },
  TIMEOUT_MS,
);

test("output that nobody takes ends with 1 and a line", async () => {
  for (const args of [["--help"], ["serve"]]) {
    const child = start(...args);
    child.stdout.destroy();
    const [[code], error] = await Promise.all([once(child, "exit"), text(child.stderr)]);
    expect({ code, error }).toEqual({
      code: 1,
      error: expect.stringMatching(/^saas-management: the output cannot be written: .*EPIPE\n$/),
    });
  }
});
