/** Bundles the package for pages and reads its source maps; a warning about one is a failure. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import webpack from "webpack";

const config = {
  mode: "production",
  context: import.meta.dirname,
  entry: "./bundled.js",
  devtool: "source-map",
  output: { path: fileURLToPath(new URL("out", import.meta.url)) },
  module: { rules: [{ test: /\.js$/, enforce: "pre", use: ["source-map-loader"] }] },
};

webpack(config, (error, stats) => {
  if (error) throw error;
  const { errors = [], warnings = [] } = stats.toJson({ all: false, errors: true, warnings: true });
  for (const { message } of [...errors, ...warnings]) process.stdout.write(`${message}\n`);
  process.exitCode = errors.length + warnings.length;
});
