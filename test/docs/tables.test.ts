import { readFile } from "node:fs/promises";
import * as sdk from "@saas-management/sdk";
import { describe, expect, it } from "vitest";
import { Declarations, type Member } from "./declarations.js";

const text = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const readme = await text("README.md");
const records = await text("docs/records.md");
const sync = await text("docs/sync.md");

/** Cells of the rows of the table under a heading, without the head. */
function table(page: string, heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Names in a cell, such as "`a`, `b`". */
const named = (cell = "") => [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => name ?? "");

function documented(heading: string): Map<string, string> {
  return new Map(
    table(readme, heading).flatMap(([names, value = ""]) =>
      named(names).map((name) => [name, value] as const),
    ),
  );
}

/** Options whose default, where it is a figure or a literal, is told otherwise. */
function contradictions(options: readonly Member[], told: ReadonlyMap<string, string>): string[] {
  const plain = (value: string) =>
    /^(\d+( MiB( − 1)?)?|"\w+"|false|no limit)/.exec(value.replace(/[,_`](?! )/g, ""))?.[0];
  return options
    .filter(
      ({ name, defaultText = "" }) =>
        plain(defaultText) !== undefined && plain(defaultText) !== plain(told.get(name) ?? ""),
    )
    .map(({ name, defaultText }) => `${name}: ${defaultText}, and not ${told.get(name)}`);
}

describe("README.md", { timeout: 60_000 }, () => {
  const code = new Declarations("src/index.ts");

  it("names every option of the client, and no other, with its default", () => {
    const options = [
      ...code.members("SaasManagementClientOptions").filter(({ name }) => name !== "sync"),
      ...code.members("SyncTuning").map((member) => ({ ...member, name: `sync.${member.name}` })),
    ];
    const told = documented("Options of the client");
    expect([...told.keys()].sort()).toEqual(options.map(({ name }) => name).sort());
    expect(contradictions(options, told)).toEqual([]);
  });

  it("names every option of a run, and no other, with its default", () => {
    const options = code.members("RunOptions");
    const told = documented("Options of a run");
    expect([...told.keys()].sort()).toEqual(options.map(({ name }) => name).sort());
    expect(contradictions(options, told)).toEqual([]);
  });

  it("names every error code with its class", () => {
    const classes = Object.entries(sdk).flatMap(([name, value]) =>
      name.endsWith("Error") && typeof value === "function" && "code" in value
        ? [`${value.code} ${name}`]
        : [],
    );
    const told = table(readme, "Errors").map(([code, name]) => [...named(code), ...named(name)].join(" "));
    expect(told.sort()).toEqual(classes.sort());
  });
});

describe("startBatch", { timeout: 60_000 }, () => {
  const options = new Declarations("src/index.ts").members("StartBatchOptions").map(({ name }) => name);

  it.each([
    ["README.md", readme],
    ["docs/sync.md", sync],
  ])("is told in %s with every option, and no other", (_, page) => {
    const sentence = /^`startBatch` takes [^.]*\./m.exec(page)?.[0].replace(/^`startBatch`/, "");
    expect(named(sentence).sort()).toEqual(options.sort());
  });
});

describe("docs/records.md", { timeout: 60_000 }, () => {
  it("names every collection, its variants and their fields, the required ones in bold", () => {
    const collections = new Declarations("src/sync/generated/records.ts").variants("RecordTypes");
    const fields = [...collections].flatMap(([collection, variants]) =>
      [...variants].map(([variant, names]) => `${collection} ${variant}: ${names.join(", ")}`),
    );
    const told = [...table(records, "Snapshots"), ...table(records, "Events")].map(
      ([collection, variant, names]) =>
        `${named(collection)} ${named(variant)}: ${names?.replaceAll("`", "")}`,
    );
    expect(told.sort()).toEqual(fields.sort());
  });
});
