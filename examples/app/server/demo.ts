/** `npm run app`: the page in front of a reference server that has the exports of three vendors. */

import { SaasManagementClient } from "@saas-management/sdk";
import { memoryLedger, startReferenceServer } from "@saas-management/sdk/testing";
import { vendorConnector, vendorExports } from "../../connectors/vendor-export/index.js";
import { portfolioOn } from "../../portfolio.js";

const today = new Date();
const service = await startReferenceServer({ portfolio: portfolioOn(today) });
const { baseUrl, syncUrl, apiKey } = service;
const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey, sync: { ledger: memoryLedger() } });
for (const source of vendorExports(new URL("../../data/", import.meta.url))) {
  const installationId = service.createInstallation({ integration: source.vendor });
  await client.sync.run(vendorConnector(source, today), { installationId, firstRun: true });
}
await client.close();

process.env["SAAS_MANAGEMENT_BASE_URL"] = baseUrl;
process.env["SAAS_MANAGEMENT_API_KEY"] = apiKey;
await import("./main.ts");
