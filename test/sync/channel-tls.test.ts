import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  ConfigurationError,
  SyncClient,
  type SyncClientOptions,
  type TlsOptions,
} from "@saas-management/sdk/sync";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBareServer } from "../support/tls-bare-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const START = { installationId: "installation-1" };
const authority = certificate("authority");
const mutual = { ...identity("server"), requestCert: true, ca: authority };

function connect(endpoint: string, tls?: TlsOptions, options: Partial<SyncClientOptions> = {}): SyncClient {
  const client = new SyncClient({ endpoint, apiKey: "key-1", tls, retry: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function startsBatch(endpoint: string, tls?: TlsOptions): Promise<string> {
  return (await connect(endpoint, tls).startBatch(START)).id;
}

describe("over TLS", () => {
  it.each<[string, string | Uint8Array]>([
    ["a text", authority],
    ["bytes", Buffer.from(authority)],
    ["a bundle", certificate("stranger") + authority],
  ])("a server is trusted by its own authority, given as %s", async (_, ca) => {
    const { port } = await startBareServer(identity("server"));
    expect(await startsBatch(`https://localhost:${port}`, { ca })).toBe("batch-1");
  });

  it("a server may be reached by an address that its certificate names, and Node warns of nothing", async () => {
    const { port } = await startBareServer(identity("server"));
    const warnings: Error[] = [];
    const listener = (warning: Error) => void warnings.push(warning);
    process.on("warning", listener);
    onTestFinished(() => void process.off("warning", listener));
    expect(await startsBatch(`https://127.0.0.1:${port}`, { ca: authority })).toBe("batch-1");
    expect(warnings).toEqual([]);
  });

  it("a server with another name is known by tls.serverName, which may be an address", async () => {
    const named = await startBareServer(identity("named"));
    const tls = { ca: authority, serverName: "sync.example.test" };
    expect(await startsBatch(`https://localhost:${named.port}`, tls)).toBe("batch-1");
    expect(await startsBatch(`https://127.0.0.1:${named.port}`, tls)).toBe("batch-1");
    const server = await startBareServer(identity("server"));
    const byAddress = { ca: authority, serverName: "127.0.0.1" };
    expect(await startsBatch(`https://localhost:${server.port}`, byAddress)).toBe("batch-1");
    await expect(startsBatch(`https://localhost:${named.port}`, byAddress)).rejects.toThrow(
      /another host name/,
    );
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("the client shows its certificate, by %s", async (version) => {
    const { port } = await startBareServer({ ...mutual, minVersion: version, maxVersion: version });
    const tls = { ca: authority, ...identity("client") };
    expect(await startsBatch(`https://localhost:${port}`, tls)).toBe("batch-1");
  });

  it("a server that knows TLS 1.1 only is refused, also by a process that would take it", async () => {
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    const { port } = await startBareServer({ ...identity("server"), ...old });
    const url = new URL("../support/tls-old-client-script.ts", import.meta.url);
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--import=tsx",
      "--tls-min-v1.0",
      "--tls-cipher-list=DEFAULT@SECLEVEL=0",
      url.pathname,
      String(port),
    ]);
    expect(JSON.parse(stdout)).toEqual({
      node: "TLSv1.1",
      sdk: `StartSyncBatch: no connection to localhost:${port}: it speaks no TLS version that is accepted here. The server must speak TLS 1.2 or later.`,
    });
  });

  const authorityBody = authority.replace(/\n[^-]+\n/, "\nsecretcanary\n");
  it.each<[string, TlsOptions, RegExp]>([
    ["ca that is no PEM", { ca: "secret-canary" }, /^tls\.ca holds no certificate/],
    ["ca that is empty", { ca: "" }, /^tls\.ca holds no certificate/],
    ["ca that is a key", { ca: identity("client").key }, /^tls\.ca holds no certificate/],
    ["ca that is damaged", { ca: authorityBody }, /^tls\.ca holds a certificate that cannot be read/],
    [
      "bundle with a damaged ca",
      { ca: authority + authorityBody },
      /^tls\.ca holds a certificate that cannot/,
    ],
    [
      "cert that is no PEM",
      { ...identity("client"), cert: "secret-canary" },
      /^tls\.cert holds no certificate/,
    ],
    ["key that is no PEM", { ...identity("client"), key: "secret-canary" }, /^tls\.key holds no private key/],
    [
      "key of another certificate",
      { ...identity("client"), key: identity("server").key },
      /^tls\.key is not the key/,
    ],
  ])("a %s is a configuration error of the constructor that quotes nothing", (_, tls, message) => {
    let error: unknown;
    try {
      connect("https://localhost:1", tls);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("canary");
    expect(error).not.toHaveProperty("cause");
  });
});
