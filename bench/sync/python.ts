/** Runs Debian's gRPC client for Python, if it's installed. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import type { Figures } from "../harness/comparison.js";
import { toFigures } from "../harness/figures.js";
import { outputPath } from "../harness/output.js";
import { runProgram } from "../harness/processes.js";
import { projectPath } from "../harness/project.js";
import type { SyncTask } from "./task.js";

/** Debian's python3-grpcio belongs to this Python; another one in the PATH can't import it. */
const PYTHON = "/usr/bin/python3";

/** Whether the Python client can be measured. */
export const hasPython = spawnSync(PYTHON, ["-c", "import grpc, google.protobuf"]).status === 0;

/** A note for tables without the Python client. */
export const NO_PYTHON =
  "The Python client is left out: python3-grpcio and python3-protobuf are not installed.";

let descriptors: Promise<string> | undefined;

/** Makes the Python client write the records of a pool file. */
export async function runPython(task: SyncTask & { readonly pool: string }): Promise<Figures> {
  descriptors ??= compileDescriptors();
  const told = JSON.stringify({ ...task, descriptors: await descriptors });
  // Ignores Python settings and the user's own packages, and leaves no compiled files in the tree.
  return toFigures(
    await runProgram(PYTHON, ["-E", "-s", "-B", projectPath("bench/sync/python_client.py"), told]),
  );
}

async function compileDescriptors(): Promise<string> {
  const path = outputPath("contract.binpb");
  const buf = projectPath("node_modules/.bin/buf");
  await promisify(execFile)(buf, ["build", projectPath(""), "--as-file-descriptor-set", "-o", path]);
  return path;
}
