import { previewOf } from "../support/connector.js";

/** Loads what the first run, write, open collection and refusal load, in turns that are not the simulation's. */
export async function warmUp(): Promise<void> {
  await import("../../src/sync/run/run.js");
  await previewOf(["accounts"], async (batch) => {
    const accounts = batch.writer("accounts");
    await accounts.write({ id: "" });
    await accounts.end();
    await batch.write("usage", []);
  });
}
