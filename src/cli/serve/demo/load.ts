import { SaasManagementClient } from "../../../client.js";
import type { ReferenceServer } from "../../../reference-server/server.js";
import { demoInstallations } from "./company.js";

/** Pushes the demo company. The default installation stays empty, for the first runs of examples. */
export async function loadDemo(
  { syncUrl, apiKey, clock, createInstallation }: ReferenceServer,
  tls: { readonly ca: string; readonly serverName?: string } | undefined,
): Promise<void> {
  const client = new SaasManagementClient({ syncUrl, apiKey, tls });
  try {
    for (const { integration, ...records } of demoInstallations(clock.now())) {
      const batch = await client.sync.startBatch({
        installationId: createInstallation({ integration }),
      });
      if (records.employees.length > 0) await batch.write("employees", records.employees);
      if (records.plans.length > 0) {
        await batch.write("accounts", records.accounts);
        await batch.write("plans", records.plans);
        await batch.write("licenses", records.licenses);
        await batch.write("usage", records.usage);
      }
      await batch.complete();
    }
  } finally {
    await client.close();
  }
}
