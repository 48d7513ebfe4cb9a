/** Reads the export of a vendor: all accounts, and usage since the last run, as JSON Lines with their counts. */
import { defineConnector } from "@saas-management/sdk";
import { fromJsonl } from "@saas-management/sdk/sources";
import type { Installation } from "./queue.js";

export function connectorOf({ source }: Pick<Installation, "source">) {
  return defineConnector({
    snapshots: ["accounts"],
    async run(batch, { signal, watermark, advance }) {
      const accounts = await read(`${source}/accounts`, signal);
      await batch.write("accounts", fromJsonl(accounts.body), { expectedCount: accounts.count });
      const usage = await read(`${source}/usage?after=${watermark("usage") ?? 0}`, signal);
      await batch.write("usage", fromJsonl(usage.body, { allowEmpty: true }), { expectedCount: usage.count });
      advance("usage", usage.position);
    },
  });
}

async function read(url: string, signal: AbortSignal) {
  const { ok, status, body, headers } = await fetch(url, { signal });
  if (!ok || body === null) throw new Error(`The vendor answered ${url} with status ${status}.`);
  const count = Number(headers.get("x-count") ?? Number.NaN);
  return { body, count, position: headers.get("x-position") ?? "" };
}
