import { previewSync } from "../../src/sync/preview/preview.js";

/** Loads the modules that the first write, open collection and refusal load, in turns that are not the simulation's. */
export async function warmUp(): Promise<void> {
  await previewSync({ snapshots: ["accounts"], ledger: "none" }, async (batch) => {
    const accounts = batch.writer("accounts");
    await accounts.write({ id: "" });
    await accounts.end();
    await batch.write("usage", []);
  });
}
