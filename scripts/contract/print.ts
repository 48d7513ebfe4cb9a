/** Writes the overlay, and finds the lines of its keys. */
import ts from "typescript";
import type { Mapping, Rules } from "../../contract/types.js";
import type { Touched } from "./findings.js";

const HEADS = {
  "mapping.ts": `import type { Mapping } from "./types.js";

/** Which parts of the service's contract play which part, and the SDK's own names for what the contract names otherwise. */
export const MAPPING: Mapping = `,
  "rules.ts": `import type { Rules } from "./types.js";

/**
 * What is known of the contract beyond the service's own files, by the SDK's names of messages and fields (mapping.ts
 * tells where they differ). A field without a rule is optional. A rule without a target is an error of code generation.
 */
export const RULES: Rules = `,
};

export function printMapping({
  assumed,
  service,
  methods,
  start,
  sync,
  complete,
  abort,
  batchState,
  names,
}: Mapping): string {
  const ordered = { assumed, service, methods, start, sync, complete, abort, batchState, names };
  return `${HEADS["mapping.ts"]}${literal(ordered)};\n`;
}

export function printRules(rules: Rules): string {
  return `${HEADS["rules.ts"]}${literal(rules)};\n`;
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** `contract/rules.ts:12`: the line of a key, or of the deepest key above it. */
export function lineOf({ file, path }: Touched, source: string): string {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  let object = firstObject(parsed);
  let at: ts.Node | undefined;
  for (const name of path) {
    const property: ts.ObjectLiteralElementLike | undefined = object?.properties.find(
      (candidate) => candidate.name !== undefined && nameOf(candidate.name) === name,
    );
    if (property === undefined) break;
    at = property;
    object =
      ts.isPropertyAssignment(property) && ts.isObjectLiteralExpression(property.initializer)
        ? property.initializer
        : undefined;
  }
  const line = at === undefined ? 1 : parsed.getLineAndCharacterOfPosition(at.getStart(parsed)).line + 1;
  return `contract/${file}:${line}`;
}

function nameOf(name: ts.PropertyName): string {
  return ts.isComputedPropertyName(name) ? "" : name.text;
}

function firstObject(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node)) return node;
  return ts.forEachChild(node, firstObject);
}
