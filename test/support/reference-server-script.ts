/** A reference server in a process of its own, which tells its memory when it is asked. Started with --expose-gc. */
import { startReferenceServer } from "../../src/reference-server/index.js";

const { baseUrl, syncUrl, apiKey, installationId } = await startReferenceServer();
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ bytes: heapUsed + external });
});
process.on("disconnect", () => process.exit());
process.send?.({ baseUrl, syncUrl, apiKey, installationId });
