import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { skipped as noPostgres } from "../../support/postgres.js";

/** Where `npm run test:matrix` installs Node 24. */
const INSTALLED = fileURLToPath(
  new URL("../../../build/runtimes/node_modules/node-24/bin/node", import.meta.url),
);
const [major = 0] = process.versions.node.split(".").map(Number);

/** A Node that pg-boss 12 runs in: 22.12 or later. */
export const NODE = major >= 24 ? process.execPath : INSTALLED;

const noNode = !existsSync(NODE);
/** Continuous integration has both, and never skips these tests. */
export const skipped = (noNode && process.env["CI"] === undefined) || noPostgres;
/** Added to the title of a skipped test, to say why it is skipped. */
export const whySkipped = skipped
  ? " (skipped: Debian's package postgresql, or Node 24 of npm run test:matrix -- --ci, is not installed)"
  : "";
