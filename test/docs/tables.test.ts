import * as sdk from "@saas-management/sdk";
import { expect, test } from "vitest";
import { Declarations, type Member } from "./declarations.js";
import { Page } from "./pages.js";

const code = new Declarations("src/index.ts");
const options = await Page.read("docs/reference/options.md");
const errors = await Page.read("docs/reference/errors.md");
const runs = await Page.read("docs/reference/run-and-guard.md");
const records = await Page.read("docs/reference/records.md");

/** Names in a cell, such as "`a`, `b`". */
const named = (cell = "") => [...cell.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name ?? "");

/** The second cell of each name of a table of options. */
function documented(heading: string): Map<string, string> {
  return new Map(
    options
      .table(heading)
      .flatMap(([names, value = ""]) => named(names).map((name) => [name, value] as const)),
  );
}

/** Options whose default is a figure or a literal, and is documented differently. */
function contradictions(members: readonly Member[], told: ReadonlyMap<string, string>): string[] {
  const plain = (value: string) =>
    /^([\d.]+( MiB( − 1)?)?|"\w+"|false|no limit)/.exec(value.replace(/[,_`](?! )/g, ""))?.[0];
  return members
    .filter(
      ({ name, defaultText = "" }) =>
        plain(defaultText) !== undefined && plain(defaultText) !== plain(told.get(name) ?? ""),
    )
    .map(({ name, defaultText }) => `${name}: ${defaultText}, and not ${told.get(name)}`);
}

const guardRules = code.members("GuardRules").map(({ name }) => name);

const tables: readonly (readonly [string, readonly Member[]])[] = [
  [
    "Client",
    [
      ...code.members("ClientOptions").filter(({ name }) => name !== "sync"),
      ...code.members("SyncDefaults").map((member) => ({ ...member, name: `sync.${member.name}` })),
    ],
  ],
  ["Run", code.members("RunOptions")],
  [
    "Guard",
    [
      ...guardRules.flatMap((rule) =>
        code.membersWithin("GuardRules", rule).map((it) => ({ ...it, name: `${rule}.${it.name}` })),
      ),
      ...code
        .members("GuardOptions")
        .filter(({ name }) => name !== "collections" && !guardRules.includes(name)),
    ],
  ],
];

test.each(tables)(
  "the reference lists every option of %s, and no other, with its default",
  (heading, members) => {
    const told = documented(heading);
    expect([...told.keys()].sort()).toEqual(members.map(({ name }) => name).sort());
    expect(contradictions(members, told)).toEqual([]);
  },
);

test("the reference lists every option of startBatch, and no other", () => {
  const sentence = /^`startBatch` takes [^.]*\./m.exec(options.text)?.[0].replace(/^`startBatch`/, "");
  const members = code.members("BatchOptions").map(({ name }) => name);
  expect(named(sentence).sort()).toEqual(members.sort());
});

test("the reference lists every option of a preview", () => {
  const sentence = /^`preview` takes [^.]*\./m.exec(options.text)?.[0].replace(/^`preview`/, "");
  const members = code.members("PreviewOptions").map(({ name }) => name);
  expect(named(sentence).sort()).toEqual(members.sort());
});

test("the reference lists every error class with its code", () => {
  const classes = Object.entries(sdk).flatMap(([name, value]) => {
    if (!/^[A-Z].*Error$/.test(name) || typeof value !== "function") return [];
    const error: unknown = Reflect.construct(value, ["message", {}]);
    return error instanceof sdk.SaasManagementError ? [`${name} ${error.code}`] : [];
  });
  const told = errors.table("Classes").map(([name, code]) => [...named(name), ...named(code)].join(" "));
  expect(told.sort()).toEqual(classes.sort());
});

test("the reference lists the fields of every error class", () => {
  const common = new Set(code.members("ClosedError").map(({ name }) => name));
  for (const [names, , , , fields = ""] of errors.table("Classes")) {
    const [name = ""] = named(names);
    const own = code.members(name).map((member) => member.name);
    const told = named(fields.split(":")[0]);
    expect({ name, fields: told.sort() }).toEqual({
      name,
      fields: own.filter((field) => !common.has(field)).sort(),
    });
  }
});

test("the reference lists every event of onProgress, with its fields", () => {
  const told = runs
    .table("Progress")
    .flatMap(([types, , fields = ""]) => named(types).map((type) => [type, named(fields.split("(")[0])]));
  expect(new Map(told as [string, string[]][])).toEqual(code.events("SyncProgress"));
});

test("the reference lists every field of a comparison", () => {
  const told = runs.table("Comparison").flatMap(([fields]) => named(fields));
  expect(told.sort()).toEqual(
    code
      .members("SnapshotDiff")
      .map(({ name }) => name)
      .sort(),
  );
});

test("the reference lists every event of onEvent, with its fields", () => {
  const told = errors.table("Events").flatMap(([, , fields = ""]) => named(fields.replace(/\([^)]*\)/g, "")));
  expect([...new Set(["type", ...told])].sort()).toEqual(
    code
      .members("ClientEvent")
      .map(({ name }) => name)
      .sort(),
  );
});

test("the reference lists every collection, its variants and fields, the required ones in bold", () => {
  const collections = new Declarations("src/sync/generated/records.ts").variants("RecordTypes");
  const fields = [...collections].flatMap(([collection, variants]) =>
    [...variants].map(([variant, names]) => `${collection} ${variant}: ${names.join(", ")}`),
  );
  const told = [...records.table("Snapshots"), ...records.table("Events")].map(
    ([collection, variant, names]) => `${collection} ${variant}: ${names}`.replaceAll("`", ""),
  );
  expect(told.sort()).toEqual(fields.sort());
});
