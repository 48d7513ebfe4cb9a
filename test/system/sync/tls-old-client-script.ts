/**
 * Connects to a server with an old TLS version, once with Node itself and once through the SDK; prints the outcomes.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import type { TransportError } from "../../../src/core/errors/index.js";
import { createSyncClient } from "../../../src/runs/engine.js";

const [port, authority = ""] = process.argv.slice(2);
const ca = readFileSync(authority, "utf8");
const socket = connect({ host: "localhost", port: Number(port), ca, ALPNProtocols: ["h2"] });
await once(socket, "secureConnect");
const node = socket.getProtocol();
socket.destroy();

const client = createSyncClient({
  endpoint: `https://localhost:${port}`,
  apiKey: "k",
  tls: { ca },
  retry: false,
});
const sdk = await client.startBatch({ installationId: "i" }).then(
  () => "started",
  (error: TransportError) => `${error.code}, retryable: ${error.retryable}`,
);
await client.close();
process.stdout.write(JSON.stringify({ node, sdk }));
