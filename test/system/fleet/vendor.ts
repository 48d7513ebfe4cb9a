import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

const IDS = 60;
/** Each version lacks a tenth of the records, too few for the guard to hold the run. */
const MISSING_OF = 10;
const EVENTS_OF_VERSION = 5;

/** A vendor that serves the export of each installation, whose contents change from one version to the next. */
export interface Vendor {
  readonly url: string;
  version: number;
  /** Answers with ids that are derived differently, as by a bad release of a connector. */
  badRelease: boolean;
  readonly accounts: () => readonly string[];
  readonly events: () => readonly string[];
  close(): Promise<void>;
}

/** @param delayMs How long the vendor takes to answer. */
export async function startVendor(delayMs: number): Promise<Vendor> {
  const server = createServer(async ({ url = "" }, response) => {
    await setTimeout(delayMs);
    const { pathname, searchParams } = new URL(url, "http://vendor");
    const after = Number(searchParams.get("after"));
    const isUsage = pathname.endsWith("/usage");
    const all = isUsage ? vendor.events() : vendor.accounts();
    const records = isUsage
      ? all.slice(after).map((id) => ({ id, sourceActorId: "u1", lastActivity: "2026-03-02T10:00:00Z" }))
      : all.map((id) => ({ id: vendor.badRelease ? `v2-${id}` : id, name: `Account ${id}` }));
    response.writeHead(200, { "x-count": records.length, "x-position": all.length });
    response.end(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const vendor: Vendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    version: 1,
    badRelease: false,
    accounts: () =>
      Array.from({ length: IDS }, (_, index) => index)
        .filter((index) => index % MISSING_OF !== vendor.version % MISSING_OF)
        .map((index) => `u${index}`),
    events: () => Array.from({ length: vendor.version * EVENTS_OF_VERSION }, (_, index) => `e${index}`),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return vendor;
}
