import { createRequire } from "node:module";
import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: createRequire(import.meta.url).resolve("@saas-management/sdk/schema.graphql"),
  documents: "src/documents.ts",
  importExtension: ".ts",
  generates: {
    "src/generated/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        strictScalars: true,
        scalars: { ID: "string", Date: "string", Decimal: "number" },
      },
    },
  },
};

export default config;
