/**
 * The quickstart: pushes data over the Sync API and reads a report over the GraphQL API. It runs against a reference
 * server in the same process, so it needs no account and leaves nothing behind.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLedger, SaasManagementClient } from "@saas-management/sdk";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { hostConnector } from "./connectors/host/index.js";
import { employeeConnector, vendorConnector, vendorExports } from "./connectors/vendor-export/index.js";
import { portfolioOn } from "./portfolio.js";
import { act } from "./quickstart/act.js";
import { count, heading } from "./quickstart/print.js";
import { push } from "./quickstart/push.js";
import { reportRenewals, reportSeats, reportUnused } from "./quickstart/report.js";

const DATA = new URL("data/", import.meta.url);
const SHRINKING_VENDOR = "Brambleboard";

const today = new Date();
await using server = await startReferenceServer({ portfolio: portfolioOn(today) });
const { baseUrl, syncUrl, apiKey } = server;
// The ledger of a real connector is kept between runs.
const directory = await mkdtemp(join(tmpdir(), "quickstart-ledger-"));
const sync = { ledger: fileLedger(directory) };
await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, sync });
const { graphql } = client;
console.log(`Reference server, in memory: GraphQL at ${baseUrl}/graphql, Sync API at ${syncUrl}.`);

try {
  heading("Push");
  const notes: string[] = [];
  const host = hostConnector({ now: today }, (note) => notes.push(note));
  // Each installation was just made, so its first run is not held.
  const first = { firstRun: true };
  await push(client.sync, "This machine", host, server.createInstallation({ integration: "Hosts" }), first);
  for (const note of notes) console.log(`    note: ${note}`);
  await push(
    client.sync,
    "HR export",
    employeeConnector(DATA),
    server.createInstallation({ integration: "HR" }),
    first,
  );
  const installations = new Map<string, string>();
  for (const source of vendorExports(DATA)) {
    const installationId = server.createInstallation({ integration: source.vendor });
    installations.set(source.vendor, installationId);
    await push(client.sync, source.vendor, vendorConnector(source, today), installationId, first);
  }

  heading(`${count(await graphql.licenses().totalCount())} licenses, read back over GraphQL`);
  await reportSeats(graphql);
  await reportUnused(graphql);
  await reportRenewals(graphql, today);
  await act(graphql, SHRINKING_VENDOR);

  heading(`A month later: ${SHRINKING_VENDOR} again, with a shorter list`);
  await pushNextMonth(SHRINKING_VENDOR, installations.get(SHRINKING_VENDOR) ?? "");
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** Previews and pushes a shorter list. Records that are missing from it are marked as removed. */
async function pushNextMonth(vendor: string, installationId: string): Promise<void> {
  const licenses = graphql.licenses({ where: { plan: { integration: { name: { eq: vendor } } } } });
  const before = await licenses.totalCount();
  for (const source of vendorExports(DATA, "next month").filter((candidate) => candidate.vendor === vendor)) {
    const connector = vendorConnector(source, today);
    const preview = await client.sync.preview(connector, { installationId });
    console.log(String(preview).replace(/^/gm, "    "));
    const { collections } = await push(client.sync, vendor, connector, installationId);
    for (const [collection, { reported = {} }] of Object.entries(collections)) {
      const { added, updated = 0, removed = 0 } = reported;
      if (added === undefined) continue; // events, which are never removed
      console.log(
        `    ${collection}: ${count(added)} added, ${count(updated)} updated, ${count(removed)} removed`,
      );
    }
  }
  const after = await licenses.totalCount();
  console.log(`  GraphQL showed ${count(before)} ${vendor} licenses before and shows ${count(after)} now.`);
}
