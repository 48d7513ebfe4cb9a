import { readdirSync, readFileSync } from "node:fs";
import { buildSchema, type DocumentNode, GraphQLObjectType, Kind, parse, validate } from "graphql";
import { expect, test } from "vitest";
import * as generated from "../../src/graphql/generated/operations.js";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const schema = buildSchema(read("schema/schema.graphql"));
const directory = "src/graphql/operations/";
const sources = readdirSync(new URL(directory, root)).map((file) => parse(read(directory + file)));
const output = read("src/graphql/generated/operations.ts");

/** Fields of a fragment's top level. */
function fieldsOf(document: DocumentNode, fragment: string): readonly string[] {
  return document.definitions
    .filter(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === fragment,
    )
    .flatMap((definition) => ("selectionSet" in definition ? definition.selectionSet.selections : []))
    .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
}

test("has every operation, valid against the schema", () => {
  const operations = Object.values(generated).flatMap((value) => (typeof value === "string" ? [value] : []));
  const written = sources.filter(({ definitions }) =>
    definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION),
  );
  expect(operations).toHaveLength(written.length);
  expect(operations).not.toEqual([]);
  for (const text of operations) expect(validate(schema, parse(text))).toEqual([]);
});

test.each(["ApplicationDiscovery", "License", "LicensePlan", "ProcurementCase", "PageInfo"])(
  "selects every field of %s",
  (name) => {
    const type = schema.getType(name);
    const known = type instanceof GraphQLObjectType ? Object.keys(type.getFields()) : [];
    const selected = sources.flatMap((source) => fieldsOf(source, name));
    expect(selected.toSorted()).toEqual(known.toSorted());
  },
);

test("marks as experimental exactly what the service description does not show", () => {
  // An enum value is a member of a union of strings, which has no tags.
  const docstrings = output.match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?!\s*\|)/g) ?? [];
  const assumed = docstrings.filter((text) => /assumed/i.test(text));
  expect(assumed.length).toBeGreaterThan(0);
  expect(docstrings.filter((text) => text.includes("@experimental"))).toEqual(assumed);
});

test("imports nothing at run time", () => {
  const imports = output.match(/^import .*$/gm) ?? [];
  expect(imports.length).toBeGreaterThan(0);
  for (const line of imports) expect(line).toMatch(/^import type /);
});

test("imports graphql and graphql-request only in files that are loaded with the first request or contract check", () => {
  const files = readdirSync(new URL("src/graphql/", root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map(
      (file) =>
        [file, read(`src/graphql/${file}`).replaceAll(/^(import|export) type [^;]*;$/gm, "")] as const,
    );
  const importing = (pattern: RegExp) => files.filter(([, text]) => pattern.test(text)).map(([file]) => file);
  expect(importing(/from "(node:|@grpc)/)).toEqual([]);
  expect(importing(/from "(graphql|graphql-request)"/)).toEqual([
    "contract-check.ts",
    "request/attempt.ts",
    "request/document.ts",
  ]);
  expect(importing(/from ".*\/(attempt|document)\.js"/)).toEqual(["request/attempt.ts"]);
});
