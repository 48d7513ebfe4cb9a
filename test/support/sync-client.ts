import { onTestFinished } from "vitest";
import { createSyncClient } from "../../src/sync/client.js";
import type { SyncEngine } from "../../src/sync/engine.js";
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
