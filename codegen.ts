import type { CodegenConfig } from "@graphql-codegen/cli";
import { plugin } from "./codegen/graphql-operations.js";

const config: CodegenConfig & { readonly sort: boolean } = {
  // Fields keep the schema's order; documents are ordered below.
  sort: false,
  schema: "schema/schema.graphql",
  documents: "src/graphql/operations/*.graphql",
  pluginLoader: () => ({ plugin }),
  generates: {
    "src/graphql/generated/operations.ts": {
      // Files are read side by side: without this the output would follow the order in which they arrive.
      documentTransforms: [
        {
          transform: ({ documents }) =>
            [...documents].sort((a, b) => (a.location ?? "").localeCompare(b.location ?? "", "en")),
        },
      ],
      plugins: ["graphql-operations"],
      config: { emitLegacyCommonJSImports: false },
    },
  },
};

export default config;
