import { X509Certificate } from "node:crypto";
import { TestClock } from "../../core/clock.js";
import { optionsSchema } from "../../reference-server/options.js";
import {
  type ReferenceServer,
  type startReferenceServer,
  startServer,
} from "../../reference-server/server.js";
import { parse } from "../../reference-server/validate.js";
import { startControlServer } from "./control/server.js";
import { demoPortfolio } from "./demo/company.js";
import { loadDemo } from "./demo/load.js";
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
