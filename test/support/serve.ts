import { z } from "zod";
import { startCli } from "./cli.js";

const PRINTED = z.object({
  baseUrl: z.string(),
  syncUrl: z.string(),
  apiKey: z.string(),
  installationId: z.string(),
  controlUrl: z.string().default(""),
});

/** Starts `serve` with these arguments, and waits until it serves. */
export async function startServe(...args: readonly string[]) {
  const child = startCli(["serve", "--json", ...args]);
  let out = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    out += String(chunk);
    if (out.endsWith("\n")) break;
  }
  const served = PRINTED.parse(JSON.parse(out));
  const env = {
    SAAS_MANAGEMENT_BASE_URL: served.baseUrl,
    SAAS_MANAGEMENT_SYNC_URL: served.syncUrl,
    SAAS_MANAGEMENT_API_KEY: served.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: served.installationId,
  };
  return { child, env, ...served };
}
