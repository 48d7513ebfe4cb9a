/** The places of the project that name what is in the contract. */

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
