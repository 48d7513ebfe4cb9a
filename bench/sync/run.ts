/** Runs a client in its own process against the servers that its task needs. */

import type { Figures } from "../harness/comparison.js";
import { toFigures } from "../harness/figures.js";
import { outputPath } from "../harness/output.js";
import { runScript, type Servers } from "../harness/processes.js";
import { projectPath } from "../harness/project.js";
import type { ClientName } from "./clients.js";
import type { TextKind } from "./names.js";
import type { ClientTask } from "./processes/client.js";
import type { LinkTask } from "./processes/link.js";
import { runPython } from "./python.js";
import type { Kind } from "./records.js";
import type { SourceForm } from "./sources.js";

export const PYTHON_CLIENT = "Python grpc.aio, unchecked";
/** The clients that write records. */
export type PeerName = ClientName | typeof PYTHON_CLIENT;

/** What is between client and server: nothing or the link, in plain text or encrypted. */
export const WAYS = ["loopback", "TLS", "link", "TLS link"] as const;
export type Way = (typeof WAYS)[number];

/** What to write. */
export interface Work {
  readonly kind: Kind;
  readonly text: TextKind;
  readonly form: SourceForm;
  readonly records: number;
  readonly over: Way;
  readonly messageBytes?: number;
  readonly windowBytes?: number;
}

/** The simulated link. */
export const LINK = { mbitPerSecond: 100, roundTripMs: 50 } as const;

const MESSAGE_BYTES = 1024 * 1024;
const CERTIFICATE = {
  certFile: projectPath("test/support/certs/self-signed-cert.pem"),
  keyFile: projectPath("test/support/certs/self-signed-key.pem"),
};

/** Has a client do the work once, and returns the cost. */
export async function run(servers: Servers, peer: PeerName, work: Work): Promise<Figures> {
  const { over, ...wanted } = work;
  const poolFile = outputPath(`${work.kind}-${work.text}.json`);
  const bytesPerRecord = Number(
    await servers.start("sync/processes/prepare.js", { kind: work.kind, text: work.text, file: poolFile }),
  );
  const task = {
    ...wanted,
    ...(await place(servers, over)),
    warmUp: Math.ceil(work.records / 10),
    recordsPerMessage: Math.floor(MESSAGE_BYTES / bytesPerRecord),
  };
  const figures =
    peer === PYTHON_CLIENT
      ? await runPython({ ...task, pool: poolFile })
      : await runNode({ ...task, client: peer });
  const { recordsPerSecond = Number.NaN } = figures;
  return { ...figures, mbitPerSecond: (recordsPerSecond * bytesPerRecord * 8) / 1e6 };
}

async function runNode(task: ClientTask): Promise<Figures> {
  return toFigures(await runScript("sync/processes/client.js", task, ["--expose-gc"]));
}

async function place(servers: Servers, over: Way): Promise<{ endpoint: string; caFile?: string }> {
  const encrypted = over === "TLS" || over === "TLS link";
  const sink = Number(await servers.start("sync/processes/sink.js", encrypted ? CERTIFICATE : {}));
  const link: LinkTask = { port: sink, ...LINK };
  const direct = over === "loopback" || over === "TLS";
  const port = direct ? sink : await servers.start("sync/processes/link.js", link);
  if (!encrypted) return { endpoint: `http://127.0.0.1:${port}` };
  return { endpoint: `https://localhost:${port}`, caFile: CERTIFICATE.certFile };
}
