/** Writes the tables of docs/reference/records.md from the generated record types: `npm run contract:docs`. */
import { readFileSync, writeFileSync } from "node:fs";
import { WIRE } from "../src/sync/generated/collections.js";
import { Declarations } from "../test/docs/declarations.js";

const PAGE = "docs/reference/records.md";

const collections = new Declarations("src/sync/generated/records.ts").variants("RecordTypes");

function rows(model: "snapshot" | "event"): string {
  const named = Object.values(WIRE).filter((collection) => collection.model === model);
  return named
    .flatMap(({ name }) =>
      [...(collections.get(name) ?? [])].map(([variant, fields]) => {
        const cells = fields.map((field) => field.replace(/^(\*\*)?(\w+)(\*\*)?$/, "$1`$2`$3"));
        return `| \`${name}\` | ${variant === "flat" ? variant : `\`${variant}\``} | ${cells.join(", ")} |\n`;
      }),
    )
    .join("");
}

function withTable(page: string, heading: string, model: "snapshot" | "event"): string {
  const table = new RegExp(
    `(## ${heading}\\n[^|]*\\| collection \\|[^\\n]*\\n\\|[-|]+\\n)(?:\\|[^\\n]*\\n)+`,
  );
  return page.replace(table, (_, head: string) => head + rows(model));
}

const page = readFileSync(PAGE, "utf8");
writeFileSync(PAGE, withTable(withTable(page, "Snapshots", "snapshot"), "Events", "event"));
