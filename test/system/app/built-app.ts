import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { type ConsumerFolder, runNode, TOOLS } from "../consumers/packed-package.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const VITE = join(ROOT, "node_modules/vite/bin/vite.js");
/** The demonstration, and the files that the tools write. */
const LEFT_OUT = /\/(generated|dist|demo\.ts)$/;

/** The password that lets the tests into the app. */
export const PASSWORD = "open the desk";

/** A server in its own process. */
export interface RunningServer {
  /** What the pattern found in the server's output. */
  readonly told: string;
  close(): Promise<void>;
}

/**
 * Starts a script of Node with the service's address and key.
 * @param pattern finds the script's address or port in a line of its output
 */
export async function startServer(
  args: readonly string[],
  cwd: string,
  service: ReferenceServer,
  pattern: RegExp,
): Promise<RunningServer> {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: "0",
      // Without this, Vite in CI colors its output, with escape codes in the middle of its address.
      NO_COLOR: "1",
      APP_PASSWORD: PASSWORD,
      SAAS_MANAGEMENT_BASE_URL: service.baseUrl,
      SAAS_MANAGEMENT_API_KEY: service.apiKey,
    },
  });
  const exit = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const told = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const ended = exit.then(([code]) => Promise.reject(new Error(`${args.join(" ")} ended with ${code}.`)));
  return {
    told: await Promise.race([told, ended]),
    close: async () => {
      child.kill();
      await exit;
    },
  };
}

/**
 * Builds the example against the packed package (types from the package's schema, compiled, bundled), and starts it.
 * @returns the server's address, and the folder of the built page
 */
export async function startBuiltApp(
  folder: ConsumerFolder,
  service: ReferenceServer,
): Promise<RunningServer & { readonly dist: string }> {
  const app = await folder.write("app", { "package.json": '{"type":"module"}' });
  await cp(join(ROOT, "examples/app"), app, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  const listener = "handlers/listener.ts";
  await cp(join(ROOT, "examples", listener), join(dirname(app), listener));
  await runNode([TOOLS.codegen, "--config", "codegen.ts"], app);
  await runNode([TOOLS.tsc, "-p", "."], app);
  await runNode([VITE, "build"], app);
  const server = await startServer([TOOLS.tsx, "server/main.ts"], app, service, /^(http:\S+)$/);
  return { ...server, dist: join(app, "dist") };
}
