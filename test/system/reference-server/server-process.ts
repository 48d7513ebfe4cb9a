import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("server-script.ts", import.meta.url));

/** A reference server in a process of its own. */
export interface ReferenceServerProcess {
  readonly baseUrl: string;
  readonly syncUrl: string;
  readonly apiKey: string;
  readonly installationId: string;
  /** Resolves when the server has received everything. */
  quiet(): Promise<void>;
  /** Bytes that it holds after a garbage collection when it has received everything. */
  held(): Promise<number>;
  /** The same after the last connection has closed. */
  left(): Promise<number>;
  stop(): void;
}

export async function forkReferenceServer(): Promise<ReferenceServerProcess> {
  const child = fork(SCRIPT, { execArgv: ["--import=tsx", "--expose-gc"] });
  const nextMessage = async (): Promise<unknown> => {
    const ended = new AbortController();
    const exited = once(child, "exit", { signal: ended.signal }).then(([code, signal]) => {
      throw new Error(`The server process has exited: ${code ?? signal}`);
    });
    exited.catch(() => {});
    try {
      const [message] = await Promise.race([once(child, "message", { signal: ended.signal }), exited]);
      return message;
    } finally {
      ended.abort();
    }
  };
  const ask = async (command: "quiet" | "held" | "left"): Promise<number> => {
    child.send(command);
    const answer = await nextMessage();
    return Number(Reflect.get(Object(answer), "bytes"));
  };
  const started: unknown = await nextMessage();
  const field = (name: string) => String(Reflect.get(Object(started), name));
  return {
    baseUrl: field("baseUrl"),
    syncUrl: field("syncUrl"),
    apiKey: field("apiKey"),
    installationId: field("installationId"),
    quiet: async () => void (await ask("quiet")),
    held: () => ask("held"),
    left: () => ask("left"),
    stop: () => child.disconnect(),
  };
}
