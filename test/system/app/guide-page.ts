import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ReferenceServer } from "@saas-management/sdk/testing";
import { Page } from "../../docs/pages.js";
import { type ConsumerFolder, runNode, TOOLS } from "../consumers/packed-package.js";
import { type RunningServer, startServer, VITE } from "./built-app.js";

/** What the page needs from the files that `npm create vite` writes. */
const TEMPLATE = {
  "package.json": '{"type":"module"}',
  "index.html": '<div id="root"></div><script type="module" src="/main.tsx"></script>',
  "main.tsx":
    'import { createRoot } from "react-dom/client";\nimport App from "./src/App.tsx";\ncreateRoot(document.querySelector("#root")!).render(<App />);\n',
};
const COMMON = {
  target: "es2023",
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
};
const PAGE = { ...COMMON, module: "esnext", moduleResolution: "bundler", jsx: "react-jsx", types: ["node"] };
const SERVER = { ...COMMON, module: "nodenext", lib: ["es2023"], types: ["node"] };

/** The programs on a page of the docs, by file name: the first line of each names its file. */
async function filesOf(path: string): Promise<ReadonlyMap<string, string>> {
  const { text } = await Page.read(path);
  return new Map(
    [...text.matchAll(/^```tsx\n\/\/ (\S+)\n(.*?)^```/gms)].map(([, file = "", code = ""]) => [file, code]),
  );
}

/**
 * Does what docs/guides/apps.md says: generates types, compiles, and serves the page and its server.
 * @returns the page's address
 */
export async function startGuidePage(
  folder: ConsumerFolder,
  service: ReferenceServer,
): Promise<RunningServer> {
  const project = await folder.write("guide", TEMPLATE);
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), text);
  };
  for (const [file, code] of await filesOf("docs/guides/apps.md"))
    await write(file, code.replace("port: 3001", "port: 0"));
  await runNode([TOOLS.codegen, "--config", "codegen.ts"], project);
  for (const [options, include] of [
    [PAGE, "main.tsx"],
    [SERVER, "server.ts"],
  ] as const) {
    await write("tsconfig.json", JSON.stringify({ compilerOptions: options, include: [include] }));
    await runNode([TOOLS.tsc, "-p", "."], project);
  }
  const api = await startServer([TOOLS.tsx, "server.ts"], project, service, /port: (\d+)/);
  const proxy = { "/api": `http://localhost:${api.told}` };
  await write("vite.config.js", `export default { server: ${JSON.stringify({ proxy })} };`);
  await runNode([VITE, "build"], project);
  const preview = [VITE, "preview", "--host", "127.0.0.1", "--port", "0"];
  const site = await startServer(preview, project, service, /(http:\/\/[\d.]+:\d+)/);
  return {
    told: site.told,
    close: async () => {
      await site.close();
      await api.close();
    },
  };
}
