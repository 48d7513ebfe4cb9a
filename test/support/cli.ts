import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { PACKAGE } from "../system/built-package.js";
import type { TestService } from "./test-service.js";

/** A value for `--import` that works in any directory. */
export const TSX = import.meta.resolve("tsx");
export const CLI = join(PACKAGE.dist, "cli/main.js");

export interface CliOptions {
  readonly cwd?: string | undefined;
  /** The whole environment, except PATH. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** Id of the user, who may be unknown on this machine. @default the user of the tests */
  readonly uid?: number | undefined;
  /** What Node runs. @default the built package */
  readonly program?: readonly string[] | undefined;
}

/** The environment of a command that reaches a test service, with its directory as home. */
export function settingsOf({ server, directory, installationId }: TestService): Record<string, string> {
  return {
    HOME: directory,
    SAAS_MANAGEMENT_BASE_URL: server.baseUrl,
    SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
    SAAS_MANAGEMENT_API_KEY: server.apiKey,
    SAAS_MANAGEMENT_INSTALLATION_ID: installationId,
  };
}

/** Starts the command line, which is killed after the test. */
export function startCli(
  args: readonly string[],
  { cwd, env = {}, input, uid, program = [CLI] }: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (input !== undefined) child.stdin.end(input);
  return child;
}

/** Runs the command line to its end. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<{ code: number; out: string; error: string }> {
  const child = startCli(args, { input: "", ...options });
  const [[code], out, error] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, error };
}
