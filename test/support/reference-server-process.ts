import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("reference-server-script.ts", import.meta.url));

/** A reference server in a process of its own. */
export interface ReferenceServerProcess {
  readonly baseUrl: string;
  readonly syncUrl: string;
  readonly apiKey: string;
  readonly installationId: string;
  /** Resolves when the server has heard what was sent to it. */
  quiet(): Promise<void>;
  /** Bytes that it holds after a full collection, when it has heard what was sent to it. */
  held(): Promise<number>;
  /** The same, when the last connection is gone. */
  left(): Promise<number>;
  /** Lets the lease of every batch run out. */
  expireLeases(): Promise<void>;
  /** Ends the process. */
  stop(): void;
}

export async function forkReferenceServer(): Promise<ReferenceServerProcess> {
  const child = fork(SCRIPT, { execArgv: ["--import=tsx", "--expose-gc"] });
  const heard = async (): Promise<unknown> => {
    const ended = new AbortController();
    const exited = once(child, "exit", { signal: ended.signal }).then(([code, signal]) => {
      throw new Error(`The server's process has ended: ${code ?? signal}`);
    });
    // Whichever comes second is not waited for.
    exited.catch(() => {});
    try {
      const [message] = await Promise.race([once(child, "message", { signal: ended.signal }), exited]);
      return message;
    } finally {
      ended.abort();
    }
  };
  const ask = async (command: "quiet" | "held" | "left" | "expire"): Promise<number> => {
    child.send(command);
    const answer = await heard();
    return Number(Reflect.get(Object(answer), "bytes"));
  };
  const started: unknown = await heard();
  const told = (name: string) => String(Reflect.get(Object(started), name));
  return {
    baseUrl: told("baseUrl"),
    syncUrl: told("syncUrl"),
    apiKey: told("apiKey"),
    installationId: told("installationId"),
    quiet: async () => void (await ask("quiet")),
    held: () => ask("held"),
    left: () => ask("left"),
    expireLeases: async () => void (await ask("expire")),
    stop: () => child.disconnect(),
  };
}
