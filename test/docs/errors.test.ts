import { readFile } from "node:fs/promises";
import * as sdk from "@saas-management/sdk";
import { describe, expect, it } from "vitest";

const documented = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
const classes = Object.entries(sdk).flatMap(([name, value]) =>
  name.endsWith("Error") && typeof value === "function" && "code" in value
    ? [[name, String(value.code)] as const]
    : [],
);

describe("docs/errors.md", () => {
  it("is about every error class that the package exports", () => {
    expect(classes.length).toBeGreaterThanOrEqual(15);
    const rows = [...documented.matchAll(/^\| `(\w+Error)` \| `(\w+)` \|/gm)];
    const told = rows.map(([, name, code]) => `${name} ${code}`);
    expect(told.sort()).toEqual(classes.map(([name, code]) => `${name} ${code}`).sort());
  });
});
