import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  buildSchema,
  type GraphQLInputObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from "graphql";
import ts from "typescript";
import { expect, test } from "vitest";
import { testOfAssumedSchema } from "../support/adopted.js";
import { Page } from "./pages.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const guide = await Page.read("docs/guides/reading.md");
const schema = buildSchema(readFileSync(`${ROOT}schema/schema.graphql`, "utf8"));

/** Input types of conditions: those with the operator `eq`. */
const conditions = Object.values(schema.getTypeMap())
  .filter(isInputObjectType)
  .filter((input) => "eq" in input.getFields());

const KINDS = new Map([
  ["String", "strings"],
  ["Date", "dates"],
]);

function kindOf(input: GraphQLInputObjectType): string {
  const operand = getNamedType(input.getFields()["eq"]?.type);
  return (isEnumType(operand) ? undefined : KINDS.get(operand?.name ?? "")) ?? "others";
}

const operatorsIn = (text = "") => [...text.matchAll(/`(\w+)`(?! *\))/g)].map(([, name = ""]) => name);

testOfAssumedSchema(
  "the guide to reading lists the operators of each kind of field, as in the schema",
  () => {
    const rows = guide.table("Filter");
    for (const input of conditions) {
      const kind = kindOf(input);
      const told = rows
        .filter(([, on]) => on === "every type of field" || on === kind)
        .flatMap(([operators]) => operatorsIn(operators));
      expect([...new Set(told)].sort(), input.name).toEqual(Object.keys(input.getFields()).sort());
    }
  },
);

test("the guide to reading has an example of each operator", () => {
  const [snippet = ""] = guide.snippets().filter((code) => code.includes("ApplicationFilter[]"));
  const used = new Set([...snippet.matchAll(/\b(\w+):/g)].map(([, name]) => name));
  const operators = conditions.flatMap((input) => Object.keys(input.getFields()));
  expect([...operators, "and", "or"].filter((operator) => !used.has(operator))).toEqual([]);
});

const FILE = `${ROOT}test/docs/completed.ts`;

/** What an editor suggests at each `|` in a program. */
function completionsIn(program: string): readonly (readonly string[])[] {
  const parts = program.split("|");
  const text = parts.join("");
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.dev.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const found = path === FILE ? text : ts.sys.readFile(path);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  });
  const bars = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("").length);
  return bars.map((bar) => {
    const { entries = [] } = service.getCompletionsAtPosition(FILE, bar, {}) ?? {};
    return entries.map(({ name }) => name).sort();
  });
}

test("an editor completes the fields, operators and values of a where literal", { timeout: 60_000 }, () => {
  const fields = ["and", "annualPrice", "holder", "id", "or", "plan", "potentialSaving", "state"];
  const program = `import type { GraphQLClient } from "@saas-management/sdk/graphql";
declare const client: GraphQLClient;
client.licenses({ where: { | } });
client.licenses({ where: { or: [{ | }] } });
client.licenses({ where: { state: { activity: { | } } } });
client.licenses({ where: { state: { activity: { eq: "|" } } } });`;
  expect(completionsIn(program)).toEqual([fields, fields, ["eq", "in", "neq", "nin"], ["UNUSED", "USED"]]);
});
