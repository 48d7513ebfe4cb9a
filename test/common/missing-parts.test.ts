import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startReferenceServer } from "@saas-management/sdk/reference-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { startConnectProxy } from "../support/connect-proxy.js";

const SCRIPT = fileURLToPath(new URL("../support/parts-script.ts", import.meta.url));

/** How the calls end that need a file of the SDK, in a process in which that cannot be loaded. */
async function endsWithout(file: string, how: "left out" | "held back" | "late"): Promise<unknown> {
  const server = await startReferenceServer();
  onTestFinished(() => server.close());
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  const proxy = await startConnectProxy();
  const folder = mkdtempSync(join(tmpdir(), "saas-management-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const where = [baseUrl, syncUrl, apiKey, installationId, `http://127.0.0.1:${proxy.port}`, folder];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", SCRIPT, file, how, ...where],
    { timeout: 55_000 },
  );
  return JSON.parse(stdout);
}

/** The error of a file that is left out. */
const notLoaded = (what: string, file: string) => ({
  code: "INVALID_CONFIGURATION",
  message: `${what} could not be loaded: the installation of the package is broken, or a bundler has left a part of it out. Install it anew, or see what the bundler has written. The next call tries again.`,
  retryable: false,
  attempts: 1,
  cause: expect.stringContaining(`There is no file ${file}.`),
});

describe("a file of the package that a bundler left out", { timeout: 60_000 }, () => {
  it.each<[string, string, Record<string, unknown>]>([
    ["wire", "What GraphQL requests need", { request: "done", mutation: "done", page: "done" }],
    ["undici", "What tls, proxy and safe connections need", { request: "done" }],
    [
      "channel",
      "What the Sync API needs",
      {
        start: "done",
        abort: expect.anything(),
        complete: expect.objectContaining({ code: "SYNC_PROTOCOL" }),
      },
    ],
    ["run", "What runs need", { run: "done" }],
    ["preview-run", "What previews need", { preview: "done" }],
    ["writing", "What writes need", { write: "done", push: "done" }],
    [
      "examine-record",
      "What tells why a record is refused",
      { write: expect.objectContaining({ code: "INVALID_INPUT" }) },
    ],
    ["ledger-directory", "What fileLedger needs", { known: "done" }],
  ])(
    "is told by the calls that need %s, and those that come when it is there find it",
    async (file, what, then) => {
      const ends = await endsWithout(file, "left out");
      const expected = Object.entries(then).map(([name, end]) => [
        name,
        [expect.objectContaining(notLoaded(what, file)), end],
      ]);
      expect(ends).toEqual(Object.fromEntries(expected));
    },
  );
});

describe("a file of the package that never comes", { timeout: 60_000 }, () => {
  const BY_SIGNAL = "the caller gave up";
  const byTime = (what: string) =>
    expect.objectContaining({
      code: "TIMEOUT",
      message: expect.stringContaining(`${what} took longer than 5000 ms. Raise `),
      stoppedBecause: "deadline",
    });
  const loading = byTime("Loading what GraphQL requests need");

  it.each<[string, Record<string, unknown>]>([
    ["wire", { request: [BY_SIGNAL, loading], mutation: [BY_SIGNAL, loading], page: [BY_SIGNAL, loading] }],
    ["undici", { request: [BY_SIGNAL, byTime("GraphQL query")] }],
    [
      "channel",
      {
        start: [BY_SIGNAL, byTime("StartSyncBatch")],
        abort: [byTime("AbortSyncBatch")],
        complete: [byTime("CompleteSyncBatch")],
      },
    ],
    ["run", { run: [BY_SIGNAL, byTime("The run")] }],
    ["preview-run", { preview: [BY_SIGNAL] }],
    ["writing", { write: [BY_SIGNAL], push: [BY_SIGNAL] }],
    ["examine-record", { write: [BY_SIGNAL] }],
  ])(
    "is waited for by the calls that need %s until their signal fires or their time is up",
    async (file, ends) => {
      expect(await endsWithout(file, "held back")).toEqual(ends);
    },
  );

  it("and then comes has taken its part of the time of the call", async () => {
    expect(await endsWithout("wire", "late")).toEqual({ request: [byTime("GraphQL query")] });
  });
});
