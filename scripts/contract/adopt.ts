/** Takes a contract: works in a copy of the project, and swaps the changed folders at the end. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { filesIn, report, tellLeftOut, type Write } from "./check.js";
import { planSchema, printOverlay } from "./graphql.js";
import { OPERATIONS } from "./operations.js";
import { type Decisions, planProto } from "./plan.js";
import { printMapping, printRules } from "./print.js";
import { skippedTests, withExports } from "./project-files.js";

/** What adopting changes, and all of it. */
const SWAPPED = [
  "proto",
  "schema",
  "contract",
  "src/sync/generated",
  "src/graphql/generated",
  "src/graphql/operations",
  "bench/generated",
  "examples/app/src",
  "docs/reference/records.md",
  "package.json",
];
const NOT_COPIED = new Set(["node_modules", ".git", "dist", "build"]);

/** The steps in the copy, each with what it is for. */
const STEPS: readonly (readonly [string, readonly string[]])[] = [
  ["code generation", ["run", "-s", "codegen:sdk"]],
  ["format", ["exec", "--", "biome", "check", "--write", "contract", "package.json"]],
  ["documentation", ["run", "-s", "contract:docs"]],
  ["tests", ["exec", "--", "vitest", "run", "--project", "main", "test/contract"]],
];

/** Returns 0 if the contract was adopted. Otherwise nothing was changed. */
export async function adopt(folder: string, decisions: Decisions, write: Write): Promise<number> {
  const from = resolve(folder);
  const { protos, schema } = filesIn(from);
  const scratch = mkdtempSync(join(tmpdir(), "contract-"));
  try {
    cpSync(".", scratch, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
    symlinkSync(resolve("node_modules"), join(scratch, "node_modules"));
    if (protos.length > 0) {
      const plan = planProto(from, decisions);
      const open = report(plan.findings, write);
      if (open > 0) return refuse(open, write);
      tellLeftOut(from, plan, write);
      rmSync(join(scratch, "proto"), { recursive: true });
      for (const path of protos) copy(join(from, path), join(scratch, "proto", path));
      writeFileSync(join(scratch, "contract/mapping.ts"), printMapping(plan.mapping));
      writeFileSync(join(scratch, "contract/rules.ts"), printRules(plan.rules));
      const manifest = join(scratch, "package.json");
      writeFileSync(manifest, withExports(readFileSync(manifest, "utf8"), protos));
      execFileSync("node_modules/.bin/buf", [
        "build",
        join(scratch, "proto"),
        "--exclude-source-info",
        "-o",
        join(scratch, "proto/baseline.binpb"),
      ]);
    }
    if (schema !== undefined) {
      const plan = planSchema(join(from, schema), decisions.scalars, write);
      if (plan.open > 0) return refuse(plan.open, write);
      cpSync(join(from, schema), join(scratch, "schema/schema.graphql"));
      for (const [name, text] of plan.operations) writeFileSync(join(scratch, OPERATIONS, name), text);
      writeFileSync(join(scratch, "contract/graphql.ts"), printOverlay(plan.overlay));
    }
    for (const [what, args] of STEPS) {
      if (step(what, args, scratch, write)) continue;
      write("Nothing was changed.");
      return 1;
    }
    step("examples", ["run", "-s", "codegen:app"], scratch, write);
    // Tests and benchmarks that name what is gone are for a person to mend; the SDK must compile.
    if (
      !step("types", ["run", "-s", "typecheck"], scratch, write) &&
      !step("types of src", ["exec", "--", "tsc", "--noEmit", "-p", "tsconfig.json"], scratch, write)
    ) {
      write("Nothing was changed.");
      return 1;
    }
    swap(scratch, join(scratch, "before"));
    for (const file of skippedTests())
      write(`${"skipped".padEnd(16)} ${file}: tests of the assumed contract`);
    write("Adopted. Next: npm test, npm run api, and the decisions above that you take back.");
    return 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refuse(open: number, write: Write): number {
  write(
    `${open} left to decide: nothing was changed. Repeat with the flags above, or --likely for all that are likely.`,
  );
  return 1;
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function step(what: string, args: readonly string[], folder: string, write: Write): boolean {
  try {
    execFileSync("npm", [...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
    write(`${what.padEnd(16)} ok`);
    return true;
  } catch (error) {
    write(`${what.padEnd(16)} failed`);
    for (const stream of ["stdout", "stderr"]) {
      const text: unknown = error instanceof Error ? Reflect.get(error, stream) : undefined;
      if (typeof text === "string" && text !== "") write(text.trimEnd().split("\n").slice(-40).join("\n"));
    }
    return false;
  }
}

/** Moves the new folders in, and the old ones back if that fails. */
function swap(scratch: string, before: string): void {
  const moved: string[] = [];
  try {
    for (const path of SWAPPED) {
      mkdirSync(dirname(join(before, path)), { recursive: true });
      cpSync(path, join(before, path), { recursive: true });
      moved.push(path);
      replace(join(scratch, path), path);
    }
  } catch (error) {
    for (const path of moved) replace(join(before, path), path);
    throw error;
  }
}

/** The copy is made beside its target, so that the last step is a rename. */
function replace(from: string, to: string): void {
  const next = `${to}.next`;
  rmSync(next, { recursive: true, force: true });
  cpSync(from, next, { recursive: true });
  if (existsSync(to)) rmSync(to, { recursive: true });
  renameSync(next, to);
}
