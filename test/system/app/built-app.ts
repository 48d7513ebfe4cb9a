import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { makeConsumerFolder, runNode, TOOLS } from "../consumers/packed-package.js";

const EXAMPLE = fileURLToPath(new URL("../../../examples/app", import.meta.url));
const VITE = fileURLToPath(new URL("../../../node_modules/vite/bin/vite.js", import.meta.url));
/** What the tools write, and the demonstration, which needs the other examples. */
const LEFT_OUT = /\/(generated|dist|demo\.ts)$/;

/** The example as its own server serves it. */
export interface RunningApp {
  readonly origin: string;
  /** The folder that Vite built. */
  readonly dist: string;
  close(): Promise<void>;
}

/**
 * Builds the example in a folder whose `node_modules` has the packed package: generates types from the package's schema
 * with both generators, compiles it, and bundles it with Vite. Then starts its server in a process of its own.
 */
export async function startBuiltApp(service: ReferenceServer): Promise<RunningApp> {
  const folder = await makeConsumerFolder();
  const app = await folder.write("app", { "package.json": '{"type":"module"}' });
  await cp(EXAMPLE, app, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  await runNode([TOOLS.codegen, "--config", "codegen.ts"], app);
  await runNode([TOOLS.tada, "generate-output"], app);
  await runNode([TOOLS.tsc, "-p", "."], app);
  await runNode([VITE, "build"], app);
  const child = spawn(process.execPath, [TOOLS.tsx, "server/main.ts"], {
    cwd: app,
    timeout: 300_000,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: "0",
      SAAS_MANAGEMENT_BASE_URL: service.baseUrl,
      SAAS_MANAGEMENT_API_KEY: service.apiKey,
    },
  });
  const exit = once(child, "exit");
  for await (const origin of createInterface({ input: child.stdout }))
    return {
      origin,
      dist: join(app, "dist"),
      close: async () => {
        child.kill();
        await exit;
        await folder.remove();
      },
    };
  throw new Error("The server of the app ended without an address.");
}
