/**
 * The quickstart: pushes data over the Sync API and reads a report over the GraphQL API. It runs against a reference
 * server in the same process, so it needs no account and leaves nothing behind.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLedger, SaasManagementClient } from "@saas-management/sdk";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { readHost } from "./connectors/host/index.js";
import { employeeExport, type VendorExport, vendorExports } from "./connectors/vendor-export/index.js";
import { portfolioOn } from "./portfolio.js";
import { act } from "./quickstart/act.js";
import { count, heading } from "./quickstart/print.js";
import { Pusher, type Source } from "./quickstart/push.js";
import { reportRenewals, reportSeats, reportUnused } from "./quickstart/report.js";

const DATA = new URL("data/", import.meta.url);
const SHRINKING_VENDOR = "Brambleboard";

const today = new Date();
await using server = await startReferenceServer({ portfolio: portfolioOn(today) });
const { baseUrl, syncUrl, apiKey } = server;
await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
const { graphql } = client;
console.log(`Reference server, in memory: GraphQL at ${baseUrl}/graphql, Sync API at ${syncUrl}.`);

// The ledger of a real connector is kept between runs.
const directory = await mkdtemp(join(tmpdir(), "quickstart-ledger-"));
const pusher = new Pusher(client.sync, fileLedger(directory));
try {
  heading("Push");
  await pushHost();
  await pusher.push({
    name: "HR export",
    installationId: server.createInstallation({ integration: "HR" }),
    snapshots: ["employees"],
    collections: () => ({ employees: employeeExport(DATA) }),
  });
  const installations = new Map<string, string>();
  for (const source of vendorExports(DATA)) {
    const installationId = server.createInstallation({ integration: source.vendor });
    installations.set(source.vendor, installationId);
    const lists = listsOf(source, installationId);
    await pusher.push({
      ...lists,
      collections: () => ({ ...lists.collections(), usage: source.usage(today) }),
    });
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

async function pushHost(): Promise<void> {
  const { notes, ...host } = await readHost({ now: today });
  await pusher.push({
    name: "This machine",
    installationId: server.createInstallation({ integration: "Hosts" }),
    snapshots: ["accounts", "groups", "groupMembers", "devices"],
    collections: () => host,
  });
  for (const note of notes) console.log(`    note: ${note}`);
}

function listsOf(source: VendorExport, installationId: string): Source {
  return {
    name: source.vendor,
    installationId,
    snapshots: ["accounts", "plans", "licenses"],
    collections: () => ({
      accounts: source.accounts(),
      plans: source.plans(),
      licenses: source.licenses(),
    }),
  };
}

/** Pushes a shorter list. Records that are missing from it are marked as removed. */
async function pushNextMonth(vendor: string, installationId: string): Promise<void> {
  const licenses = graphql.licenses({ where: { plan: { integration: { name: { eq: vendor } } } } });
  const before = await licenses.totalCount();
  for (const source of vendorExports(DATA, "next month").filter((candidate) => candidate.vendor === vendor)) {
    const lists = listsOf(source, installationId);
    await pusher.preview(lists);
    const { collections } = await pusher.push(lists);
    for (const [collection, { added = 0, updated = 0, removed = 0 }] of Object.entries(collections)) {
      console.log(
        `    ${collection}: ${count(added)} added, ${count(updated)} updated, ${count(removed)} removed`,
      );
    }
  }
  const after = await licenses.totalCount();
  console.log(`  GraphQL showed ${count(before)} ${vendor} licenses before and shows ${count(after)} now.`);
}
