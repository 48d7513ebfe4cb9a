import { writeFileSync } from "node:fs";
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

// Without Node's types only ./graphql: a page has no other entry.
test.each([
  { lib: ["es2022", "dom"], types: [], entries: ["graphql/index"] },
  { lib: ["esnext", "dom"], types: [], entries: ["graphql/index"] },
  { lib: ["es2022"], types: ["node"], entries: ENTRIES },
  { lib: ["es2022", "dom"], types: ["node"], entries: ENTRIES },
  { lib: ["esnext"], types: ["node"], entries: ENTRIES },
])(
  "the declarations compile with skipLibCheck: false, lib $lib and types $types",
  ({ lib, types, entries }) => {
    const { folder } = declarations;
    const file = join(folder, "all.ts");
    writeFileSync(file, entries.map((entry) => `export * from "./dist/${entry}.js";\n`).join(""));
    const program = typescript.createProgram([file], {
      strict: true,
      target: typescript.ScriptTarget.ES2022,
      lib: lib.map((name) => `lib.${name}.d.ts`),
      module: typescript.ModuleKind.NodeNext,
      moduleResolution: typescript.ModuleResolutionKind.NodeNext,
      types,
      typeRoots: [join(ROOT, "node_modules/@types")],
      skipLibCheck: false,
      noEmit: true,
    });
    const ambiguous = 2308; // The same name of two entries.
    const found = typescript.getPreEmitDiagnostics(program).filter(({ code }) => code !== ambiguous);
    expect(found.map(({ messageText, file: at }) => [at?.fileName.replace(folder, ""), messageText])).toEqual(
      [],
    );
  },
  TIMEOUT_MS,
);
