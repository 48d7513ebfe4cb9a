/**
 * Prints the size of the GraphQL facade in a page, bundled by esbuild and minified.
 *
 *   npm run size
 */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { bundleForBrowser } from "./bundle.js";

const ENTRY = "src/graphql/index.ts";

for (const splitting of [false, true]) {
  const { files } = await bundleForBrowser(ENTRY, { splitting });
  process.stdout.write(splitting ? "\nsplit: what the first request loads has its own file\n" : "one file\n");
  for (const { name, bytes } of files) {
    const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
    const [raw, gzip, brotli] = sizes.map((size) => (size / 1024).toFixed(1).padStart(7));
    process.stdout.write(
      `${name.replace(/-[A-Z0-9]{8}/, "").padEnd(12)}${raw} KiB, gzip ${gzip}, brotli ${brotli}\n`,
    );
  }
}
