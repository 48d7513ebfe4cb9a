import * as sdk from "@saas-management/sdk";
import { expect, test } from "vitest";
import { Declarations, type Member } from "./declarations.js";
import { Page } from "./pages.js";

const code = new Declarations("src/index.ts");
const errors = await Page.read("docs/reference/errors.md");
const runs = await Page.read("docs/reference/run-and-guard.md");
const records = await Page.read("docs/reference/records.md");

/** Names in a cell, such as "`a`, `b`". */
const named = (cell = "") => [...cell.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name ?? "");

/** For each name in the table of limits, its second cell. */
const limits = new Map(
  runs
    .table("Guard limits")
    .flatMap(([names, value = ""]) => named(names).map((name) => [name, value] as const)),
);

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

test("the reference lists exactly the guard's limits, with their defaults", () => {
  const members: readonly Member[] = [
    ...guardRules.flatMap((rule) =>
      code.membersWithin("GuardRules", rule).map((it) => ({ ...it, name: `${rule}.${it.name}` })),
    ),
    ...code
      .members("GuardOptions")
      .filter(({ name }) => name !== "collections" && !guardRules.includes(name)),
  ];
  expect([...limits.keys()].sort()).toEqual(members.map(({ name }) => name).sort());
  expect(contradictions(members, limits)).toEqual([]);
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
