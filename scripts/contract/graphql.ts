/** What adopting a GraphQL schema would change. */
import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isScalarType,
  Kind,
  parse,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { GRAPHQL } from "../../contract/graphql.js";
import type { GraphQLOverlay, ScalarKind } from "../../contract/types.js";
import type { Write } from "./check.js";
import {
  deprecatedOf,
  OPERATIONS,
  problemsOf,
  readOperations,
  renamedTypes,
  type Sources,
  withEdits,
} from "./operations.js";

export interface SchemaPlan {
  readonly operations: Sources;
  readonly overlay: GraphQLOverlay;
  /** How many decisions are left to a person. */
  readonly open: number;
}

/** Prints what differs. @param scalars what flags decide */
export function planSchema(
  path: string,
  scalars: Readonly<Record<string, ScalarKind>>,
  write: Write,
): SchemaPlan {
  const text = readFileSync(path, "utf8");
  const schema = buildSchema(text);
  const isSame = GRAPHQL.assumed && text === readFileSync("schema/schema.graphql", "utf8");
  const present = readOperations();
  const edits = renamedTypes(schema, present);
  for (const { file, line, before, now } of edits)
    write(`${"renamed".padEnd(12)} ${before} is ${now}  [${OPERATIONS}/${file}:${line}]`);
  const operations = withEdits(present, edits);
  const problems = problemsOf(schema, operations);
  for (const problem of problems) write(`${"invalid".padEnd(12)} ${problem}`);
  for (const problem of deprecatedOf(schema, operations)) write(`${"deprecated".padEnd(12)} ${problem}`);
  const types: Record<string, string> = { ...GRAPHQL.types };
  for (const { before, now } of edits) {
    const name = GRAPHQL.types[bare(before)];
    if (name === undefined) continue;
    delete types[bare(before)];
    types[bare(now)] = name;
  }
  const known: Record<string, ScalarKind> = { ...GRAPHQL.scalars, ...scalars };
  const unknown =
    problems.length > 0
      ? []
      : [...usedScalars(schema, operations)].filter((name) => !Object.hasOwn(known, name));
  for (const name of unknown) {
    const kind = /date$/i.test(name) ? "date" : undefined;
    const meaning =
      kind === undefined ? "is it a string, a number, a boolean or a date?" : `taken for a ${kind}`;
    write(
      `${(kind === undefined ? "undecided" : "new").padEnd(12)} scalar ${name}: ${meaning}  [contract/graphql.ts]`,
    );
    if (kind === undefined) write(`${" ".repeat(13)}--scalar ${name}=string`);
    else known[name] = kind;
  }
  const open = problems.length + unknown.filter((name) => !Object.hasOwn(known, name)).length;
  if (open + edits.length === 0) write("Every operation is valid in the schema.");
  const overlay: GraphQLOverlay = { ...(isSame ? { assumed: true } : {}), types, scalars: known };
  return { operations, overlay, open };
}

export function printOverlay(overlay: GraphQLOverlay): string {
  return `import type { GraphQLOverlay } from "./types.js";

/** The SDK's own names for types of the schema, and what its scalars are. */
export const GRAPHQL: GraphQLOverlay = ${JSON.stringify(overlay, null, 2)};
`;
}

/** `[LicenseSortInput!]` is `LicenseSortInput`. */
function bare(type: string): string {
  return type.replace(/^.*?(\w+)\W*$/s, "$1");
}

/** Names of the scalars that the operations send or get. */
function usedScalars(schema: GraphQLSchema, sources: Sources): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<GraphQLNamedType>();
  const note = (type: GraphQLNamedType | null | undefined): void => {
    if (!type || seen.has(type)) return;
    seen.add(type);
    if (isScalarType(type)) names.add(type.name);
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) note(getNamedType(field.type));
  };
  for (const text of sources.values()) {
    const types = new TypeInfo(schema);
    visit(
      parse(text),
      visitWithTypeInfo(types, {
        Field: () => note(getNamedType(types.getType())),
        VariableDefinition: ({ type }) => {
          const named = type.kind === Kind.NAMED_TYPE ? typeFromAST(schema, type) : undefined;
          note(named ?? getNamedType(types.getInputType()));
        },
      }),
    );
  }
  return names;
}
