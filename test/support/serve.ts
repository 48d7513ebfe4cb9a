import { z } from "zod";
import { startCli } from "./cli.js";

const PRINTED = z.object({
  baseUrl: z.string(),
  syncUrl: z.string(),
  apiKey: z.string(),
  installationId: z.string(),
});

/** Starts `serve` with these arguments, and waits until it serves. */
export function startServe(...args: readonly string[]) {
  return served(startCli(["serve", "--json", ...args]));
}

/** Waits until `serve --json` serves. */
export async function served(child: ReturnType<typeof startCli>) {
  let out = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    out += String(chunk);
    if (out.endsWith("\n")) break;
  }
  const printed = PRINTED.parse(JSON.parse(out));
  const env = {
    SAAS_MANAGEMENT_BASE_URL: printed.baseUrl,
    SAAS_MANAGEMENT_SYNC_URL: printed.syncUrl,
    SAAS_MANAGEMENT_API_KEY: printed.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: printed.installationId,
  };
  return { child, env, ...printed };
}
