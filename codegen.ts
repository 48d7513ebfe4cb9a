import { readFileSync } from "node:fs";
import type { CodegenConfig } from "@graphql-codegen/cli";
import { stripIgnoredCharacters } from "graphql";
import { plugin } from "./codegen/graphql-operations.js";

const SCHEMA = "schema/schema.graphql";

/** Returns the reference server's schema as a module, because a bundle can't rely on a file next to it. */
function schemaText(): string {
  const text = stripIgnoredCharacters(readFileSync(SCHEMA, "utf8"));
  return `/** The schema of the package. */\nexport const SCHEMA = ${JSON.stringify(text)};\n`;
}

const config: CodegenConfig & { readonly sort: boolean } = {
  // Fields keep the schema's order; documents are ordered below.
  sort: false,
  schema: SCHEMA,
  documents: "src/graphql/operations/*.graphql",
  pluginLoader: (name) => ({ plugin: name.endsWith("graphql-schema") ? schemaText : plugin }),
  generates: {
    "src/graphql/generated/operations.ts": {
      // Sorts the files: they're read concurrently, and the output would depend on the order in which they arrive.
      documentTransforms: [
        {
          transform: ({ documents }) =>
            [...documents].sort((a, b) => (a.location ?? "").localeCompare(b.location ?? "", "en")),
        },
      ],
      plugins: ["graphql-operations"],
      config: { emitLegacyCommonJSImports: false },
    },
    "src/reference-server/generated/schema.ts": { plugins: ["graphql-schema"] },
  },
};

export default config;
