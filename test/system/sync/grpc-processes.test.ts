import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startSyncServer } from "../../support/sync-server.js";
import { droppingPort, listenSilently } from "../../support/tcp-peers.js";
import { certificateFile, identity } from "../../support/tls-certificates.js";
import { programFile } from "../programs.js";

/** Runs a program, which must end by itself, and returns what it prints. */
async function run(name: string, flags: readonly string[], ...args: string[]): Promise<string> {
  const command = [...flags, programFile(name), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 60_000 });
  return stdout;
}

test.each(["http", "https"])(
  "a process that closed its client ends by itself if the peer sent nothing: %s",
  async (scheme) => {
    const peer = await listenSilently();
    expect(await run("idle-process-script", [], `${scheme}://127.0.0.1:${peer.port}`, "unconnected")).toBe(
      "TIMEOUT",
    );
  },
);

test.runIf(process.platform === "linux")(
  "a process that closed its client ends by itself even if nobody answered",
  async () => {
    const port = await droppingPort();
    expect(await run("idle-process-script", [], `http://127.0.0.1:${port}`, "unconnected")).toBe("TIMEOUT");
  },
);

test("a server with only TLS 1.1 is refused, even by a process that would accept it", async () => {
  const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  const { port } = await startSyncServer({ ...identity("server"), ...old });
  const flags = ["--tls-min-v1.0", "--tls-cipher-list=DEFAULT@SECLEVEL=0"];
  const printed: unknown = JSON.parse(
    await run("tls-old-client-script", flags, String(port), certificateFile("authority")),
  );
  expect(printed).toEqual({ node: "TLSv1.1", sdk: "TRANSPORT_FAILED, retryable: false" });
});
