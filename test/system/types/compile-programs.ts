import { writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type ts from "typescript";
import { PACKAGE } from "../built-package.js";

type TypeScript = typeof ts;

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SUBPATHS = ["graphql", "sources", "testing"];

/** Declares the names that programs use: some of the package's, and some values. */
const GIVEN = `
import * as sdk from "@saas-management/sdk";
import * as graphqlSdk from "@saas-management/sdk/graphql";
import type { AccountRecord, CollectionWriter, EmployeeRecord, License, RecordOf, RecordSource, RunBatch, RunContext, RunReceipt, Store, SyncBatch, SyncClient, WriteStats } from "@saas-management/sdk";
import { AuthenticationError, BatchStateError, calendarDate, defineConnector, fileLedger, isMutationError, MutationError, RateLimitError, RunHeldError, SaasManagementClient, SaasManagementError, storeLedger, sumByCurrency, TimeoutError } from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { fromCsv, fromJsonl, fromPages, located, type SourcePage } from "@saas-management/sdk/sources";
import { memoryLedger, startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import type { Fault, ReferenceServer } from "@saas-management/sdk/testing";
declare const client: SaasManagementClient;
declare const sync: SyncClient;
declare const graphql: GraphQLClient;
declare const batch: SyncBatch;
declare const server: ReferenceServer;
declare const account: AccountRecord;
declare const users: readonly { readonly id: string; readonly mail: string | undefined }[];
`.trim();

/** Compiler settings of consumers. */
export type Settings = "exactOptionalPropertyTypes" | "strict";

/** Writes the declarations of the package as they ship. */
export async function emitDeclarations(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  await mkdir(join(ROOT, "build"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "build/types-"));
  await cp(PACKAGE.dist, join(folder, "dist"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Compiles programs together. Returns each program's errors as the compiler prints them, without file and position. */
export function errorsOf(
  compiler: TypeScript,
  folder: string,
  programs: Readonly<Record<string, string>>,
  settings: Settings,
): ReadonlyMap<string, string> {
  const files = Object.entries(programs).map(([title, code], index) => {
    const file = join(folder, `program-${index}.ts`);
    writeFileSync(file, `${GIVEN}\nexport async function program() {\n${code}\n}\n`);
    return { title, file };
  });
  const program = compiler.createProgram(
    files.map(({ file }) => file),
    {
      strict: true,
      exactOptionalPropertyTypes: settings === "exactOptionalPropertyTypes",
      target: compiler.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts", "lib.esnext.disposable.d.ts"],
      module: compiler.ModuleKind.NodeNext,
      moduleResolution: compiler.ModuleResolutionKind.NodeNext,
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
      skipLibCheck: true,
      noEmit: true,
      paths: Object.fromEntries([
        ["@saas-management/sdk", [join(folder, "dist/index.d.ts")]],
        ...SUBPATHS.map((name) => [
          `@saas-management/sdk/${name}`,
          [join(folder, `dist/${name}/index.d.ts`)],
        ]),
      ]),
    },
  );
  return new Map(
    files.map(({ title, file }) => {
      const source = program.getSourceFile(file);
      const diagnostics = [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ];
      const texts = diagnostics.map(
        ({ code, messageText }) => `TS${code}: ${compiler.flattenDiagnosticMessageText(messageText, "\n")}`,
      );
      return [title, texts.join("\n").replaceAll(folder, ".")];
    }),
  );
}
