/**
 * Connects to a server of old TLS, once as Node does in this process and once through the SDK; prints what became of
 * it.
 */
import { once } from "node:events";
import { connect } from "node:tls";
import type { TransportError } from "../../../src/core/errors/index.js";
import { createSyncClient } from "../../../src/sync/client.js";
import { certificate } from "../../support/tls-certificates.js";

const port = Number(process.argv[2]);
const ca = certificate("authority");
const socket = connect({ host: "localhost", port, ca, ALPNProtocols: ["h2"] });
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
