import { readFileSync } from "node:fs";
import { buildASTSchema, type DefinitionNode, Kind, parse, validateSchema, visit } from "graphql";
import { expect, test } from "vitest";
import { testOfAssumedSchema } from "../support/adopted.js";

const document = parse(readFileSync(new URL("../../schema/schema.graphql", import.meta.url), "utf8"));

test("the schema is valid", () => {
  expect(validateSchema(buildASTSchema(document))).toEqual([]);
});

testOfAssumedSchema("everything in the schema has a description", () => {
  const silent: string[] = [];
  visit(document, {
    enter(node) {
      const named = "name" in node && node.name !== undefined ? node.name.value : "";
      if ("description" in node && node.description !== undefined) return;
      if (node.kind.endsWith("Definition") && node.kind !== Kind.OPERATION_TYPE_DEFINITION) {
        silent.push(`${node.kind} ${named}`);
      }
    },
  });
  expect(silent).toEqual([]);
});

testOfAssumedSchema(
  "conditions offer the operators that the service description lists for their kind of field",
  () => {
    const common = ["eq", "neq", "in", "nin"];
    const text = ["contains", "ncontains", "startsWith", "nstartsWith", "endsWith", "nendsWith"];
    const isConditions = (node: DefinitionNode) =>
      node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && node.name.value.endsWith("OperationFilterInput");
    const operators = Object.fromEntries(
      document.definitions.filter(isConditions).map((node) => {
        if (node.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) return [];
        const name = node.name.value.replace("OperationFilterInput", "");
        return [name, new Set(node.fields?.map((field) => field.name.value))];
      }),
    );
    expect(operators).toEqual({
      String: new Set([...common, ...text]),
      Date: new Set([...common, "gte", "lte"]),
      Id: new Set(common),
      Int: new Set(common),
      Decimal: new Set(common),
      ApplicationState: new Set(common),
      LicenseActivity: new Set(common),
      DataOrigin: new Set(common),
    });
  },
);
