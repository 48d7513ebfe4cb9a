import { createSyncClient } from "../../src/runs/engine.js";
import { connectorOf, previewOf } from "../support/connector.js";

/** Does everything once (a run, a write, an open collection, a refusal), so that no simulation has to load a module. */
export async function warmUp(): Promise<void> {
  await previewOf(["accounts"], async (batch) => {
    const accounts = batch.writer("accounts");
    await accounts.write({ id: "" });
    await accounts.end();
    await batch.write("usage", []);
  });
  const client = createSyncClient({ endpoint: "https://sync.example.com", apiKey: "key" });
  const refuse = () => {
    throw new Error("Nothing is sent.");
  };
  await client.run(connectorOf([], refuse), { ledger: "none", installationId: "none" }).catch(() => {});
  await client.close();
}
