/** Uses the Sync API of the endpoint that it is given, closes the client, and must then end by itself. */
import { createSyncClient } from "../../../src/sync/client.js";

const [endpoint = "", timeoutMs] = process.argv.slice(2);
const client = createSyncClient({
  endpoint,
  apiKey: "key-1",
  retry: false,
  ...(timeoutMs === undefined ? {} : { timeoutMs: Number(timeoutMs) }),
});
const outcome = await client.startBatch({ installationId: "installation-1" }).then(
  async (batch) => {
    await batch.write("accounts", [{ id: "u1" }]);
    return batch.state;
  },
  () => "failed",
);
await client.close();
process.stdout.write(outcome);
