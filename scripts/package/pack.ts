import { execFileSync } from "node:child_process";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../api/entries.js";

export const FOLDER = join(ROOT, "build/package");
export const TARBALL = join(FOLDER, "package.tgz");

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly entryCount: number;
}

/** Packs the output of `npm run build` as it ships. */
export async function pack(): Promise<Packed> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", FOLDER];
  const answer = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed]: readonly Packed[] = JSON.parse(answer);
  if (packed === undefined) throw new Error("npm pack did not create a tarball.");
  await rename(join(FOLDER, packed.filename), TARBALL);
  return packed;
}
