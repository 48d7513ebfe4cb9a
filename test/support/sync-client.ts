import { onTestFinished } from "vitest";
import type { SyncEngine } from "../../src/runs/engine.js";
import { createSyncClient } from "../../src/runs/engine.js";
import type { SyncClientOptions } from "../../src/sync/options.js";

export const START = { installationId: "installation-1" };

/** Retries without noticeable pauses. */
export const quickRetries = (retries: number) => ({ retries, minDelayMs: 1, maxDelayMs: 1 });

/** A client without retries by default; closed after the test. */
export function syncClient(
  endpoint: string | { readonly port: number },
  options: Partial<SyncClientOptions> = {},
): SyncEngine {
  const client = createSyncClient({
    endpoint: typeof endpoint === "string" ? endpoint : `http://127.0.0.1:${endpoint.port}`,
    apiKey: "key-1",
    retry: false,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
