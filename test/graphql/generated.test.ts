import { readdirSync, readFileSync } from "node:fs";
import { buildSchema, type DocumentNode, GraphQLObjectType, Kind, parse } from "graphql";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const schema = buildSchema(read("schema/schema.graphql"));
const directory = "src/graphql/operations/";
const sources = readdirSync(new URL(directory, root)).map((file) => parse(read(directory + file)));
const output = read("src/graphql/generated/operations.ts");

/** Top-level fields of a fragment. */
function fieldsOf(document: DocumentNode, fragment: string): readonly string[] {
  return document.definitions
    .filter(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === fragment,
    )
    .flatMap((definition) => ("selectionSet" in definition ? definition.selectionSet.selections : []))
    .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
}

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
  // An enum value is a member of a union of strings, so it can't have tags.
  const docstrings = output.match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?!\s*\|)/g) ?? [];
  const assumed = docstrings.filter((text) => /assumed/i.test(text));
  expect(assumed.length).toBeGreaterThan(0);
  expect(docstrings.filter((text) => text.includes("@experimental"))).toEqual(assumed);
});
