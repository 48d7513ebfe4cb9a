import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
  visit,
} from "graphql";
import { GRAPHQL } from "../contract/graphql.js";

/** Public names, by name in the schema. Without one, an input isn't exported, and an enum is inlined. */
const PUBLIC = new Map(Object.entries(GRAPHQL.types));

const SCALARS = new Map(
  Object.entries(GRAPHQL.scalars).map(([name, kind]) => [name, kind === "date" ? "string" : kind]),
);

/** A field of a printed type. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  readonly description?: string | null | undefined;
}

/**
 * Writes the types of inputs, fragments and results, and the documents.
 *
 * Enums are closed in inputs and open in outputs. The fields of all members of a union are merged; fields that some
 * members lack are optional, because the service may add values and members.
 */
export function plugin(
  schema: GraphQLSchema,
  files: readonly { readonly document?: DocumentNode }[],
): string {
  const definitions = files.flatMap(({ document }) => document?.definitions ?? []);
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  return [
    'import type { Document } from "../request/document.js";',
    ...[...reachableInputs(schema, operations)].map(printInput),
    ...[...fragments.values()].map((fragment) => printFragment(schema, fragment)),
    ...operations.map((operation) => printOperation(schema, operation, fragments)),
    printMutationErrors(schema, operations),
    `${docstring("The documents of the client's methods.")}export const METHODS = {\n${indented(operations.map(methodOf).join("\n"))}\n};\n`,
  ].join("\n\n");
}

function methodOf({ name }: OperationDefinitionNode): string {
  return `${name?.value.replace(/^./, (first) => first.toLowerCase())}: ${name?.value}Document,`;
}

/** Inputs and enums of the operations' variables, each before the types that it refers to. */
function reachableInputs(
  schema: GraphQLSchema,
  operations: readonly OperationDefinitionNode[],
): Set<GraphQLNamedType> {
  const found = new Set<GraphQLNamedType>();
  const visitType = (type: GraphQLNamedType): void => {
    const isPrinted = isInputObjectType(type) || (isEnumType(type) && PUBLIC.has(type.name));
    if (found.has(type) || !isPrinted) return;
    found.add(type);
    for (const next of isInputObjectType(type) ? Object.values(type.getFields()) : [])
      visitType(getNamedType(next.type));
  };
  for (const { type: node } of operations.flatMap(({ variableDefinitions = [] }) => variableDefinitions)) {
    const type = typeFromAST(schema, node);
    if (type !== undefined) visitType(getNamedType(type));
  }
  return found;
}

function printInput(type: GraphQLNamedType): string {
  const name = PUBLIC.get(type.name);
  const head = `${docstring(type.description)}${name === undefined ? "" : "export "}`;
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => `${docstring(value.description)}| "${value.name}"`);
    return `${head}type ${name ?? type.name} =\n${indented(values.join("\n"))};`;
  }
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const printed = fields.map((field) => ({
    name: field.name,
    type: isNonNullType(field.type) ? inputType(field.type) : `${inputType(field.type)} | undefined`,
    optional: !isNonNullType(field.type),
    description: field.description,
  }));
  return `${head}interface ${name ?? type.name} ${printFields(printed)}`;
}

function inputType(type: GraphQLType): string {
  if (isNonNullType(type)) return inputType(type.ofType).replace(/ \| null$/, "");
  if (isListType(type)) return `readonly ${parenthesized(inputType(type.ofType))}[] | null`;
  return `${PUBLIC.get(type.name) ?? SCALARS.get(type.name) ?? literals(type) ?? type.name} | null`;
}

function outputType(type: GraphQLType, named: (type: GraphQLNamedType) => string): string {
  if (isNonNullType(type)) return outputType(type.ofType, named).replace(/ \| null$/, "");
  if (isListType(type)) return `readonly ${parenthesized(outputType(type.ofType, named))}[] | null`;
  return `${named(type)} | null`;
}

function parenthesized(type: string): string {
  return /^\w+$/.test(type) ? type : `(${type})`;
}

/** The values of an enum. */
function literals(type: GraphQLNamedType): string | undefined {
  return isEnumType(type)
    ? type
        .getValues()
        .map(({ name }) => `"${name}"`)
        .join(" | ")
    : undefined;
}

function printFragment(schema: GraphQLSchema, fragment: FragmentDefinitionNode): string {
  const type = schema.getType(fragment.typeCondition.name.value);
  if (!isCompositeType(type)) throw new Error(`${fragment.name.value} is a fragment of an unknown type.`);
  const name = PUBLIC.get(type.name);
  const head = `${docstring(type.description)}${name === undefined ? "" : "export "}`;
  return `${head}interface ${name ?? type.name} ${printSelections(schema, type, fragment.selectionSet.selections)}`;
}

function printOperation(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string {
  const root = schema.getRootType(operation.operation);
  const name = operation.name?.value;
  if (!root || name === undefined) throw new Error("Every operation must have a name and a root type.");
  const used = usedFragments(operation, fragments).map((fragment) => print(fragment));
  const text = `\n    ${print(operation)}\n    ${used.join("\n")}`;
  return `export interface ${name}Data ${printSelections(schema, root, operation.selectionSet.selections)}

export const ${name}Document: Document<${name}Data, never> = \`${text}\`;`;
}

function usedFragments(
  node: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FragmentDefinitionNode[] {
  const names = new Set<string>();
  visit(node, { FragmentSpread: ({ name }) => void names.add(name.value) });
  return [...names].flatMap((name) => fragments.get(name) ?? []);
}

/** Prints a selection: the fragment's name if the selection is a single fragment, otherwise the selected fields. */
function printSelections(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  selections: readonly SelectionNode[],
): string {
  const [first] = selections;
  if (first?.kind === Kind.FRAGMENT_SPREAD) return PUBLIC.get(first.name.value) ?? first.name.value;
  const fields = selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [printField(schema, type, selection)];
    if (selection.kind !== Kind.INLINE_FRAGMENT) throw new Error("Spread a fragment alone.");
    const member = schema.getType(selection.typeCondition?.name.value ?? "");
    if (!isCompositeType(member)) throw new Error("An inline fragment needs a type.");
    // Every error of the service implements the interface Error, so only the fields of other types are optional.
    return fieldsOf(selection.selectionSet).map((node) => ({
      ...printField(schema, member, node),
      optional: !isInterfaceType(member),
    }));
  });
  return printFields([...new Map(fields.map((field) => [field.name, field])).values()]);
}

function printField(schema: GraphQLSchema, parent: GraphQLCompositeType, node: FieldNode): Field {
  const name = node.name.value;
  if (name === "__typename") {
    const members = isUnionType(parent) ? parent.getTypes() : [parent];
    const names = members.map((member) => `"${member.name}"`);
    return { name, type: [...names, "(string & {})"].join(" | "), description: "Name of the object's type." };
  }
  const field = isUnionType(parent) ? undefined : parent.getFields()[name];
  if (field === undefined) throw new Error(`${parent.name} has no field ${name}.`);
  const type = outputType(field.type, (named) => {
    if (isCompositeType(named)) return printSelections(schema, named, node.selectionSet?.selections ?? []);
    const values = PUBLIC.get(named.name) ?? literals(named);
    return values === undefined ? (SCALARS.get(named.name) ?? named.name) : `${values} | (string & {})`;
  });
  return { name, type, description: field.description };
}

function fieldsOf(set: SelectionSetNode | undefined): FieldNode[] {
  return (set?.selections ?? []).filter((node) => node.kind === Kind.FIELD);
}

function printFields(fields: readonly Field[]): string {
  const lines = fields.map(
    ({ name, type, optional = false, description }) =>
      `${docstring(description)}readonly ${name}${optional ? "?" : ""}: ${type};`,
  );
  return `{\n${indented(lines.join("\n"))}\n}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** The typed errors of each mutation, as its document selects them. */
function printMutationErrors(schema: GraphQLSchema, operations: readonly OperationDefinitionNode[]): string {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const fields: Field[] = [];
  for (const { selectionSet } of operations) {
    const [mutation] = fieldsOf(selectionSet);
    const payload = getNamedType(mutations[mutation?.name.value ?? ""]?.type);
    const selected = fieldsOf(mutation?.selectionSet).find(({ name }) => name.value === "errors");
    if (mutation === undefined || !isObjectType(payload)) continue;
    const errors = getNamedType(payload.getFields()["errors"]?.type);
    if (!isUnionType(errors)) throw new Error(`${payload.name} has no typed errors.`);
    const type = printSelections(schema, errors, selected?.selectionSet?.selections ?? []);
    fields.push({ name: mutation.name.value, type, description: errors.description });
  }
  return `${docstring('The typed errors of each mutation (service description, "Typed mutation errors").')}export interface MutationErrors ${printFields(fields)}`;
}

/**
 * Returns a docstring. A tag warns that a minor version may change anything the service description doesn't show.
 */
function docstring(description: string | null | undefined): string {
  if (!description) return "";
  const tag = /assumed/i.test(description) ? ["", "@experimental"] : [];
  const lines = [...description.split("\n"), ...tag];
  return lines.length === 1
    ? `/** ${description} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}
