/**
 * The quickstart: pushes real data over the Sync API and reads a report back over the GraphQL API.
 *
 * Runs against an embedded reference server on free loopback ports, so it needs no account and leaves nothing behind.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLedger, type Ledger, SaasManagementClient } from "@saas-management/sdk";
import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import { readHost } from "./connectors/host/index.js";
import { employeeExport, vendorExports } from "./connectors/vendor-export/index.js";
import { portfolioOn } from "./portfolio.js";
import { act } from "./quickstart/act.js";
import { count, heading } from "./quickstart/print.js";
import { preview, push, type Source } from "./quickstart/push.js";
import { reportRenewals, reportSeats, reportUnused } from "./quickstart/report.js";

const DATA = new URL("data/", import.meta.url);

async function main(): Promise<void> {
  const today = new Date();
  await using server = await startReferenceServer({ portfolio: portfolioOn(today) });
  const { baseUrl, syncUrl, apiKey } = server;
  await using client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
  console.log(`Reference server, in memory: GraphQL at ${baseUrl}/graphql, Sync API at ${syncUrl}.`);

  const installations = new Map(
    vendorExports(DATA).map(({ vendor }) => [vendor, server.createInstallation({ integration: vendor })]),
  );
  // A connector's own ledger has a directory that outlives the process.
  const directory = await mkdtemp(join(tmpdir(), "quickstart-ledger-"));
  try {
    await story(client, server, installations, fileLedger(directory), today);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function story(
  client: SaasManagementClient,
  server: ReferenceServer,
  installations: ReadonlyMap<string, string>,
  ledger: Ledger,
  today: Date,
): Promise<void> {
  await pushEverything(client, server, installations, ledger, today);

  heading(`${count(await client.graphql.licenses().totalCount())} licenses, read back over GraphQL`);
  await reportSeats(client.graphql);
  await reportUnused(client.graphql);
  await reportRenewals(client.graphql, today);
  await act(client.graphql, "Brambleboard");

  await pushShrunkenVendor(client, server.syncUrl, installations, ledger, "Brambleboard");
}

/** The first run: this machine, the HR export, and every vendor's console. */
async function pushEverything(
  client: SaasManagementClient,
  server: ReferenceServer,
  installations: ReadonlyMap<string, string>,
  ledger: Ledger,
  today: Date,
): Promise<void> {
  heading("Push");
  const { notes, ...host } = await readHost({ now: today });
  const hostInstallation = server.createInstallation({ integration: "Hosts" });
  await push(
    client.sync,
    {
      name: "This machine",
      installationId: hostInstallation,
      snapshots: ["accounts", "groups", "groupMembers", "devices"],
      collections: () => host,
    },
    ledger,
  );
  for (const note of notes) console.log(`    note: ${note}`);
  await push(
    client.sync,
    {
      name: "HR export",
      installationId: server.createInstallation({ integration: "HR" }),
      snapshots: ["employees"],
      collections: () => ({ employees: employeeExport(DATA) }),
    },
    ledger,
  );
  for (const source of vendorExports(DATA)) {
    await push(
      client.sync,
      {
        name: source.vendor,
        installationId: installationOf(installations, source.vendor),
        snapshots: ["accounts", "plans", "licenses"],
        collections: () => ({
          accounts: source.accounts(),
          plans: source.plans(),
          licenses: source.licenses(),
          usage: source.usage(today),
        }),
      },
      ledger,
    );
  }
}

/** The second run: one vendor's list is shorter now, and what is missing from it is marked removed. */
async function pushShrunkenVendor(
  client: SaasManagementClient,
  syncUrl: string,
  installations: ReadonlyMap<string, string>,
  ledger: Ledger,
  vendor: string,
): Promise<void> {
  heading(`A month later: ${vendor} again, with a shorter list`);
  const [source] = vendorExports(DATA, "next month").filter((candidate) => candidate.vendor === vendor);
  if (source === undefined) throw new Error(`There is no export of ${vendor}.`);
  const licenses = client.graphql.licenses({ where: { plan: { integration: { name: { eq: vendor } } } } });
  const before = await licenses.totalCount();
  const shrunken: Source = {
    name: vendor,
    installationId: installationOf(installations, vendor),
    snapshots: ["accounts", "plans", "licenses"],
    collections: () => ({
      accounts: source.accounts(),
      plans: source.plans(),
      licenses: source.licenses(),
    }),
  };
  await preview(syncUrl, shrunken, ledger);
  const { collections } = await push(client.sync, shrunken, ledger);
  for (const [collection, { added = 0, updated = 0, removed = 0 }] of Object.entries(collections)) {
    console.log(
      `    ${collection}: ${count(added)} added, ${count(updated)} updated, ${count(removed)} removed`,
    );
  }
  const after = await licenses.totalCount();
  console.log(`  GraphQL showed ${count(before)} ${vendor} licenses before and shows ${count(after)} now.`);
}

function installationOf(installations: ReadonlyMap<string, string>, vendor: string): string {
  const id = installations.get(vendor);
  if (id === undefined) throw new Error(`${vendor} has no installation.`);
  return id;
}

await main();
