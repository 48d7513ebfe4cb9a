import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./findings.js";
import { planSchema } from "./graphql.js";
import { type Decisions, leftOut, type Plan, planProto } from "./plan.js";
import { lineOf } from "./print.js";

export type Write = (line: string) => void;

export interface ContractFiles {
  /** Paths in the folder. */
  readonly protos: readonly string[];
  readonly schema: string | undefined;
}

/** @throws Error if the folder has neither `.proto` files nor one schema */
export function filesIn(folder: string): ContractFiles {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const protos = paths.filter((path) => path.endsWith(".proto"));
  const schemas = paths.filter((path) => /\.(graphql|graphqls)$/.test(path));
  if (schemas.length > 1) throw new Error(`${folder} has more than one schema: ${schemas.join(", ")}`);
  if (protos.length + schemas.length === 0) throw new Error(`${folder} has no .proto files and no schema.`);
  return { protos, schema: schemas[0] };
}

/** Prints what differs. Returns 0 if adopting would ask for no decision. */
export function check(folder: string, decisions: Decisions, write: Write): number {
  const { protos, schema } = filesIn(folder);
  let open = 0;
  if (protos.length > 0) {
    const plan = planProto(folder, decisions);
    open += report(plan.findings, write);
    if (open === 0) tellLeftOut(folder, plan, write);
  }
  if (schema !== undefined) open += planSchema(join(folder, schema), decisions.scalars, write).open;
  write(open === 0 ? "Nothing is left to decide." : `${open} left to decide.`);
  return open === 0 ? 0 : 1;
}

export function tellLeftOut(folder: string, plan: Plan, write: Write): void {
  for (const field of leftOut(folder, plan)) write(`left out     ${field}`);
}

/** Prints findings, and returns how many need a decision. */
export function report(findings: readonly Finding[], write: Write): number {
  if (findings.length === 0) write("The .proto files say what is here already.");
  for (const { kind, subject, meaning, touches, flag } of findings) {
    const at = touches === undefined ? "" : `  [${lineOf(touches, source(touches.file))}]`;
    write(`${kind.padEnd(12)} ${subject}: ${meaning}${at}`);
    if (flag !== undefined) write(`${" ".repeat(13)}${flag}`);
  }
  return findings.filter(needsDecision).length;
}

/** A rule without a target, a collection that is gone, or a new one without a model. */
function needsDecision({ kind, touches }: Finding): boolean {
  return (
    (kind === "undecided" && touches !== undefined) ||
    (kind === "missing" && touches?.path[0] === "collections")
  );
}

function source(file: string): string {
  const path = `contract/${file}`;
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
