import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import typescript from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emitDeclarations } from "./compile-programs.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const ENTRIES = ["index", "graphql/index", "sources/index", "testing/index"];
const TIMEOUT_MS = 120_000;

let declarations: Awaited<ReturnType<typeof emitDeclarations>>;
beforeAll(async () => {
  declarations = await emitDeclarations();
}, TIMEOUT_MS);
afterAll(() => declarations?.remove());

// The fewest libraries reveal missing declarations, and the most reveal duplicate ones.
// Only ./graphql must compile without Node's types, because pages use no other entry.
test.each([
  { lib: ["es2022", "dom"], node: "none", entries: ["graphql/index"] },
  { lib: ["es2022"], node: "20", entries: ENTRIES },
  { lib: ["esnext", "dom"], node: "24", entries: ENTRIES },
])(
  "the declarations compile with skipLibCheck: false, lib $lib and Node types $node",
  ({ lib, node, entries }) => {
    const { folder } = declarations;
    const types = node === "none" ? [] : ["node"];
    // Only this version of Node's types is installed, so a dependency that asks for Node's types gets this one.
    const typeRoot = join(folder, "types");
    rmSync(typeRoot, { recursive: true, force: true });
    mkdirSync(typeRoot);
    const version = node === "24" ? "types-node-24" : "@types/node";
    symlinkSync(join(ROOT, "node_modules", version), join(typeRoot, "node"));
    const file = join(folder, "all.ts");
    writeFileSync(file, entries.map((entry) => `export * from "./dist/${entry}.js";\n`).join(""));
    const program = typescript.createProgram([file], {
      strict: true,
      target: typescript.ScriptTarget.ES2022,
      lib: lib.map((name) => `lib.${name}.d.ts`),
      module: typescript.ModuleKind.NodeNext,
      moduleResolution: typescript.ModuleResolutionKind.NodeNext,
      types,
      typeRoots: [typeRoot],
      skipLibCheck: false,
      noEmit: true,
    });
    const ambiguous = 2308; // This imports one name from two entries.
    const nodeTypes = program
      .getSourceFiles()
      .filter(({ fileName }) => /types\/node\/|types-node/.test(fileName));
    expect(new Set(nodeTypes.map(({ fileName }) => fileName.includes("types-node-24")))).toEqual(
      new Set(node === "none" ? [] : [node === "24"]),
    );
    const found = typescript.getPreEmitDiagnostics(program).filter(({ code }) => code !== ambiguous);
    expect(found.map(({ messageText, file: at }) => [at?.fileName.replace(folder, ""), messageText])).toEqual(
      [],
    );
  },
  TIMEOUT_MS,
);
