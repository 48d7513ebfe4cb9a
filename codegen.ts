import type { CodegenConfig } from "@graphql-codegen/cli";
import { plugin as operationTypes } from "@graphql-codegen/typescript-operations";
import {
  buildSchema,
  extendSchema,
  type GraphQLSchema,
  isEnumType,
  isUnionType,
  parse,
  print,
  printSchema,
  visit,
} from "graphql";

/** Enums that can have no further values. Of all others the service shows only some. */
const CLOSED_ENUMS = ["SortEnumType"];

/** Stand-ins that go into the schema and come out as open types. */
const ANY_VALUE = "ANY_OTHER_VALUE";
const ANY_MEMBER = "AnyOtherMember";

/**
 * typescript-operations, with types that stay true when the service learns something new: enums also take other
 * strings, unions have an arm for members that the schema does not know.
 */
const openOperationTypes: typeof operationTypes = async (schema, documents, config, info) => {
  const marked = markAssumed(schema);
  const output = await operationTypes(openSchema(marked), documents, config, info);
  if (typeof output === "string") throw new Error("typescript-operations was expected to return its parts.");
  return {
    ...output,
    prepend: [...(output.prepend ?? []), "import type { UnknownTypename } from '../scalars.js';"],
    content: output.content
      .replaceAll(`'${ANY_VALUE}'`, "(string & {})")
      .replaceAll(`'${ANY_MEMBER}'`, "UnknownTypename")
      .replace(/^export type (\w+)Fragment = /gm, (line, name) => describe(marked, name) + line),
  };
};

/**
 * The schema, with a tag in the descriptions of what the service does not show: it may change in a minor version. Values
 * of enums have the words alone: a member of a union of texts has no tags.
 */
function markAssumed(schema: GraphQLSchema): GraphQLSchema {
  const marked = visit(parse(printSchema(schema)), {
    EnumValueDefinition: () => false,
    StringValue: (node, key) =>
      key === "description" && /assumed/i.test(node.value)
        ? { ...node, value: `${node.value}\n\n@experimental` }
        : undefined,
  });
  return buildSchema(print(marked));
}

/** The schema's own words for the type that a fragment is called after. */
function describe(schema: GraphQLSchema, fragment: string): string {
  const description = schema.getType(fragment)?.description;
  return description ? `/** ${description.replaceAll("\n", " ")} */\n` : "";
}

function openSchema(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith("__"));
  const enums = types.filter((type) => isEnumType(type) && !CLOSED_ENUMS.includes(type.name));
  const unions = types.filter(isUnionType);
  return extendSchema(
    schema,
    parse(
      [
        ...enums.map(
          ({ name }) => `extend enum ${name} { "A value that this version does not know." ${ANY_VALUE} }`,
        ),
        ...unions.map(({ name }) => `extend union ${name} = ${ANY_MEMBER}`),
        `type ${ANY_MEMBER} implements Error { message: String! }`,
      ].join("\n"),
    ),
  );
}

const config: CodegenConfig & { readonly sort: boolean } = {
  // Fields keep the schema's order; documents are ordered below.
  sort: false,
  schema: "schema/schema.graphql",
  documents: "src/graphql/operations/*.graphql",
  pluginLoader: (name) =>
    name.endsWith("open-operation-types") ? { plugin: openOperationTypes } : import(name),
  generates: {
    "src/graphql/generated/operations.ts": {
      // Files are read side by side: without this the output would follow the order in which they arrive.
      documentTransforms: [
        {
          transform: ({ documents }) =>
            [...documents].sort((a, b) => (a.location ?? "").localeCompare(b.location ?? "", "en")),
        },
      ],
      plugins: ["open-operation-types", "typed-document-node"],
      config: {
        documentMode: "string",
        pureMagicComment: true,
        strictScalars: true,
        scalars: { ID: "string", Date: "../scalars.js#CalendarDate", Decimal: "number" },
        inlineFragmentTypes: "combine",
        immutableTypes: true,
        useTypeImports: true,
        skipTypename: true,
        dedupeFragments: true,
        emitLegacyCommonJSImports: false,
      },
    },
  },
};

export default config;
