import { X509Certificate } from "node:crypto";
import { SaasManagementClient } from "../../client.js";
import { TestClock } from "../../core/clock.js";
import { optionsSchema } from "../../reference-server/options.js";
import {
  type ReferenceServer,
  type startReferenceServer,
  startServer,
} from "../../reference-server/server.js";
import { parse } from "../../reference-server/validate.js";
import { startControlServer } from "./control/server.js";
import { demoInstallations, demoPortfolio } from "./demo/company.js";
import { EXPLORER_PAGE, EXPLORER_POLICY } from "./explorer/page.js";

type ServerOptions = NonNullable<Parameters<typeof startReferenceServer>[0]>;

/** What `serve` has started. */
export interface Served {
  readonly server: ReferenceServer;
  readonly controlUrl: string | undefined;
  close(): Promise<void>;
}

/** Starts the reference server with its page, the demo company and the control API. @throws {TypeError} an option is invalid */
export async function serveAll(
  given: ServerOptions,
  { demo, controlPort }: { readonly demo: boolean; readonly controlPort: number | undefined },
): Promise<Served> {
  const clock = new TestClock();
  const portfolio = demo ? demoPortfolio(clock.now()) : given.portfolio;
  const options = parse("options", optionsSchema, { ...given, clock, portfolio });
  const page = { html: EXPLORER_PAGE, policy: EXPLORER_POLICY };
  const server = await startServer({ ...options, page });
  const fill = async () => {
    if (demo) await loadDemo(server, given.tls && clientTls(given.tls.cert));
  };
  const reset = async () => {
    await server.reset();
    await fill();
  };
  try {
    await fill();
    const control =
      controlPort === undefined
        ? undefined
        : await startControlServer({ server, reset, faults: [] }, controlPort);
    const close = async () => {
      await control?.close();
      await server.close();
    };
    return { server, controlUrl: control?.url, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Accepts the server's own certificate, by a name that it has. */
function clientTls(ca: string): { readonly ca: string; readonly serverName?: string } {
  const serverName = /DNS:([^,\s*]+)/.exec(new X509Certificate(ca).subjectAltName ?? "")?.[1];
  return serverName === undefined ? { ca } : { ca, serverName };
}

/** Pushes the demo company. The default installation stays empty, for the first runs of examples. */
async function loadDemo(
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
