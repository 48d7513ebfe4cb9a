/** The places of the project that name what is in the contract. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PROTO = /^\.\/proto\//;

/** A manifest that exports the `.proto` files. */
export function withExports(manifest: string, protos: readonly string[]): string {
  const parsed: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(manifest);
  const others = Object.entries(parsed.exports).filter(([subpath]) => !PROTO.test(subpath));
  const own = protos.map((path) => [`./proto/${path}`, `./proto/${path}`]);
  const last = others.findIndex(([subpath]) => subpath === "./package.json");
  const exports = Object.fromEntries([...others.slice(0, last), ...own, ...others.slice(last)]);
  return `${JSON.stringify({ ...parsed, exports }, null, 2)}\n`;
}

/** Tests that an adopted contract skips (test/support/adopted.ts), as `file (number)`. */
export function skippedTests(): readonly string[] {
  return readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .sort()
    .flatMap((file) => {
      const count = readFileSync(join("test", file), "utf8").match(/^testOfAssumed\w+\(/gm)?.length ?? 0;
      return count === 0 ? [] : [`test/${file} (${count})`];
    });
}
