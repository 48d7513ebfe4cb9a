/** Makes types for the documents in `main.ts`, which `npx graphql-codegen` writes to `gql/`. */
import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "node_modules/@saas-management/sdk/schema/schema.graphql",
  documents: "main.ts",
  importExtension: ".js",
  generates: {
    "gql/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: { useTypeImports: true, scalars: { ID: "string", Date: "string", Decimal: "number" } },
    },
  },
};
export default config;
