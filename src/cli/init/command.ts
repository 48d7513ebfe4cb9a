import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Command } from "commander";
import { addExamples, UsageError } from "../command-module.js";
import type { Io } from "../io.js";

export function define(command: Command, io: Io): void {
  addExamples(command, "saas-management init acme-connector", "cd acme-connector && npm install && npm test");
  command
    .description(
      "Makes a connector project in a new folder: connector, test, configuration, Dockerfile, crontab and CronJob.",
    )
    .argument("<folder>", "a folder that is empty or does not exist")
    .action((folder: string) => init(resolve(folder), io));
}

async function init(folder: string, io: Io): Promise<void> {
  const name = basename(folder);
  // A name of npm, and of Kubernetes.
  if (!/^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/.test(name))
    throw new UsageError("The folder's name must have lower-case letters, digits and - only, 52 at most.");
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined && (await readdir(folder)).length > 0)
    throw new UsageError(`${folder} is not empty. Choose another folder: nothing is overwritten.`);
  const { projectFiles } = await import("./files.js");
  const files = Object.entries(projectFiles(name));
  for (const [file, text] of files) await writeFile(join(folder, file), text, { flag: "wx" });
  const names = files.map(([file]) => file);
  io.data({ folder, files: names }, () => `${folder}: ${names.join(", ")}`);
  io.note(`Next: cd ${folder} && npm install && npm test`);
}
