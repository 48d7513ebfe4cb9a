/** The SDK's GraphQL operations beside a schema. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  concatAST,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  isCompositeType,
  Kind,
  NoDeprecatedCustomRule,
  NoUnusedFragmentsRule,
  parse,
  Source,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";

export const OPERATIONS = "src/graphql/operations";

export interface Edit {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly now: string;
}

export type Sources = ReadonlyMap<string, string>;

export function readOperations(): Sources {
  const names = readdirSync(OPERATIONS).sort();
  return new Map(names.map((name) => [name, readFileSync(join(OPERATIONS, name), "utf8")]));
}

/** What is wrong with the operations, as `file:line: message`; graphql-js names the nearest field. */
export function problemsOf(schema: GraphQLSchema, sources: Sources): readonly string[] {
  const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);
  return validate(schema, documentOf(sources), rules, { maxErrors: Infinity }).map(located);
}

export function deprecatedOf(schema: GraphQLSchema, sources: Sources): readonly string[] {
  return validate(schema, documentOf(sources), [NoDeprecatedCustomRule]).map(located);
}

function documentOf(sources: Sources): DocumentNode {
  return concatAST([...sources].map(([name, text]) => parse(new Source(text, name))));
}

function located(error: GraphQLError): string {
  const line = error.locations?.[0]?.line ?? 1;
  return `${OPERATIONS}/${error.source?.name}:${line}: ${error.message}`;
}

/** Names of types that the schema tells by their place: of variables by their arguments, of fragments by their fields. */
export function renamedTypes(schema: GraphQLSchema, sources: Sources): readonly Edit[] {
  const edits: Edit[] = [];
  const document = documentOf(sources);
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );
  const types = new TypeInfo(schema);
  const replace = (node: { readonly loc?: import("graphql").Location | undefined }, now: string): void => {
    if (node.loc === undefined) return;
    const { start, end, source, startToken } = node.loc;
    const before = source.body.slice(start, end);
    const known = edits.some((edit) => edit.file === source.name && edit.start === start);
    if (before !== now && !known)
      edits.push({ file: source.name, line: startToken.line, start, end, before, now });
  };
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    visit(
      operation,
      visitWithTypeInfo(types, {
        Variable: (node, _key, parent) => {
          const expected = types.getInputType();
          const isDefinition =
            parent !== undefined && "kind" in parent && parent.kind === Kind.VARIABLE_DEFINITION;
          const definition = operation.variableDefinitions?.find(
            (it) => it.variable.name.value === node.name.value,
          );
          if (!isDefinition && definition !== undefined && expected)
            replace(definition.type, String(expected));
        },
        FragmentSpread: (node) => {
          const parent = types.getParentType();
          const condition = fragments.get(node.name.value)?.typeCondition;
          if (condition === undefined || !isCompositeType(parent) || schema.getType(condition.name.value))
            return;
          replace(condition, parent.name);
        },
      }),
    );
  }
  return edits;
}

export function withEdits(sources: Sources, edits: readonly Edit[]): Sources {
  return new Map(
    [...sources].map(([name, text]) => {
      const own = edits.filter(({ file }) => file === name).sort((a, b) => b.start - a.start);
      return [
        name,
        own.reduce((sum, { start, end, now }) => sum.slice(0, start) + now + sum.slice(end), text),
      ];
    }),
  );
}
