import { readdirSync, readFileSync } from "node:fs";
import { buildSchema, type DocumentNode, GraphQLObjectType, Kind, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import * as generated from "../../src/graphql/generated/operations.js";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const schema = buildSchema(read("schema/schema.graphql"));
const directory = "src/graphql/operations/";
const sources = readdirSync(new URL(directory, root)).map((file) => parse(read(directory + file)));
const documents = Object.values(generated).filter((value) => value instanceof String);

/** Fields of a fragment's top level. */
function fieldsOf(document: DocumentNode, fragment: string): readonly string[] {
  return document.definitions
    .filter(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === fragment,
    )
    .flatMap((definition) => ("selectionSet" in definition ? definition.selectionSet.selections : []))
    .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.name.value] : []));
}

describe("the generated operations", () => {
  it("are valid against the schema", () => {
    const operations = documents.map(String).filter((text) => /^\s*(query|mutation)/.test(text));
    const written = sources.filter(({ definitions }) =>
      definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION),
    );
    expect(operations).toHaveLength(written.length);
    expect(operations).not.toEqual([]);
    for (const text of operations) expect(validate(schema, parse(text))).toEqual([]);
  });

  it.each(["ApplicationDiscovery", "License", "LicensePlan", "ProcurementCase", "PageInfo"])(
    "select every field of %s",
    (name) => {
      const type = schema.getType(name);
      const known = type instanceof GraphQLObjectType ? Object.keys(type.getFields()) : [];
      const selected = sources.flatMap((source) => fieldsOf(source, name));
      expect(selected.toSorted()).toEqual(known.toSorted());
    },
  );

  it("mark as experimental what the service description does not show, and nothing else", () => {
    // A value of an enum is a member of a union of texts, which has no tags.
    const docstring = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/(?!\s*\|)/g;
    const docstrings = read("src/graphql/generated/operations.ts").match(docstring) ?? [];
    const assumed = docstrings.filter((text) => /assumed/i.test(text));
    expect(assumed.length).toBeGreaterThan(0);
    expect(docstrings.filter((text) => text.includes("@experimental"))).toEqual(assumed);
  });

  it("import nothing at run time", () => {
    const imports = read("src/graphql/generated/operations.ts").match(/^import .*$/gm) ?? [];
    expect(imports.length).toBeGreaterThan(0);
    for (const line of imports) expect(line).toMatch(/^import type /);
  });
});

describe("the GraphQL half", () => {
  it("imports no module of Node, no gRPC, and graphql only where it is loaded late", () => {
    const files = readdirSync(new URL("src/graphql/", root)).filter((file) => file.endsWith(".ts"));
    const late = ["document.ts", "exchange.ts"];
    for (const file of files) {
      const text = read(`src/graphql/${file}`);
      expect(text, file).not.toMatch(/from "(node:|@grpc|\.\.\/sync|\.\.\/reference-server)/);
      if (!late.includes(file)) expect(text, file).not.toMatch(/from "(graphql|graphql-request)"/);
    }
    const importers = files.filter((file) =>
      /from "\.\/(document|exchange)\.js"/.test(
        read(`src/graphql/${file}`).replaceAll(/^(import|export) type .*$/gm, ""),
      ),
    );
    expect(importers).toEqual(["wire.ts"]);
  });
});
