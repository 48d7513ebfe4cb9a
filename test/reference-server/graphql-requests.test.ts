import { auditServer } from "graphql-http";
import { expect, onTestFinished, test, vi } from "vitest";
import { startGraphQLServer } from "../../src/reference-server/graphql/server.js";
import { TestClock } from "../../src/reference-server/test-clock.js";
import { schemaType } from "../support/adopted.js";
import { startServer } from "./graphql-setup.js";

const REQUIRED = "The argument `input` is required.";
const MISMATCH = "The specified argument value does not match the argument type.";
const CREATE = "createProcurementCase";
const unknown = (field: string, type: string) =>
  `The field \`${field}\` does not exist on the type \`${type}\`.`;
const create = (input: string) => `mutation { ${CREATE}${input} { case { id } } }`;

// The service description shows these messages.
test.each<[document: string, path: string, argument: string | undefined, message?: string]>([
  ["{ nonsense }", "nonsense", undefined, unknown("nonsense", "Query")],
  [
    "{ mine: applications { nodes { application { nonsense } } } }",
    "mine.nodes.application.nonsense",
    undefined,
    unknown("nonsense", "Application"),
  ],
  [create(""), CREATE, "input", REQUIRED],
  ['{ applications(first: "ten") { totalCount } }', "applications", "first"],
  ["query ($n: String) { applications(first: $n) { totalCount } }", "applications", "first"],
  [
    "{ licenses(where: { state: { activity: { eq: 7 } } }) { totalCount } }",
    "licenses",
    "where.state.activity.eq",
  ],
  [
    '{ licenses(where: { id: { contains: "1" } }) { totalCount } }',
    "licenses",
    "where.id.contains",
    unknown("contains", "IdOperationFilterInput"),
  ],
  [
    '{ applications(where: { lastUsed: { eq: "2026-02-30" } }) { totalCount } }',
    "applications",
    "where.lastUsed.eq",
  ],
  [create("(input: { state: PRE })"), CREATE, "input"],
  [create('(input: { name: "n", baselinePrice: "1" })'), CREATE, "input.baselinePrice"],
])("says where %s is wrong", async (document, path, argument, message = MISMATCH) => {
  const { send } = await startServer();
  const { status, errors, data } = await send(document);
  const code =
    { [MISMATCH]: "HC0016", [REQUIRED]: "VALIDATION_ARGUMENT_REQUIRED" }[message] ??
    "VALIDATION_UNKNOWN_FIELD";
  expect([status, data]).toEqual([200, undefined]);
  const extensions = argument === undefined ? { code } : { code, argument };
  expect(errors).toEqual([expect.objectContaining({ message, path: path.split("."), extensions })]);
});

const withVariable = `mutation ($in: ${schemaType("CreateProcurementCaseInput")}!) { make: ${CREATE}(input: $in) { case { id } } }`;

test.each<[variables: Record<string, unknown>, argument: string]>([
  [{}, "input"],
  [{ in: null }, "input"],
  [{ in: "n" }, "input"],
  [{ in: {} }, "input"],
  [{ in: { name: "n", baselinePrice: "1" } }, "input.baselinePrice"],
  [{ in: { name: "n", state: "POST" } }, "input.state"],
])("says where the variables %j are wrong", async (variables, argument) => {
  const { send } = await startServer();
  const [message, code] =
    "in" in variables ? [MISMATCH, "HC0016"] : [REQUIRED, "VALIDATION_ARGUMENT_REQUIRED"];
  const { status, errors } = await send(withVariable, variables);
  expect(status).toBe(200);
  expect(errors).toEqual([
    expect.objectContaining({ message, path: ["make"], extensions: { code, argument } }),
  ]);
});

test("names a field that an input does not have", async () => {
  const { send } = await startServer();
  const message = unknown("colour", schemaType("CreateProcurementCaseInput"));
  const extensions = { code: "VALIDATION_UNKNOWN_FIELD", argument: "input" };
  const { errors } = await send(withVariable, { in: { name: "n", colour: "red" } });
  expect(errors).toMatchObject([{ message, path: ["make"], extensions }]);
});

test("never repeats the value of a variable", async () => {
  const { send } = await startServer();
  const answer = await send(withVariable, { in: { name: "n", deadline: "canary-7f3a" } });
  expect(JSON.stringify(answer)).not.toContain("canary");
});

test("answers a failed field with null and an error, and the others with data", async () => {
  const { send } = await startServer();
  const document = "{ good: applications { totalCount } bad: licenses(first: -1) { totalCount } }";
  const { status, data, errors } = await send(document);
  expect([status, data]).toEqual([200, { good: { totalCount: 0 }, bad: null }]);
  expect(errors?.map(({ path }) => path)).toEqual([["bad"]]);
});

test("prints internal errors in its process, and reveals nothing about them in the response", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warned.mockRestore());
  const { send, installation } = await startServer();
  installation.records = () => {
    throw new Error("canary-7f3a");
  };
  const { status, data, errors } = await send("{ licenses { totalCount } }");
  expect({ status, data }).toEqual({ status: 200, data: { licenses: null } });
  const place = { locations: [{ line: 1, column: 3 }], path: ["licenses"] };
  const message = "Unexpected execution error.";
  expect(errors).toEqual([{ message, ...place, extensions: { code: "EXEC_FAILED" } }]);
  expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("canary-7f3a"));
});

test.each<["the key" | "the faults" | "the origin", string]>([
  ["the key", "Unexpected execution error."],
  ["the faults", "Unexpected execution error."],
  ["the origin", "The reference server failed. Its process prints the reason."],
])("answers HTTP 500 if something throws at %s, and prints the error", async (place, message) => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  const fail = () => {
    throw new Error("canary-7f3a");
  };
  const server = await startGraphQLServer({
    host: "127.0.0.1",
    port: 0,
    clock: new TestClock(),
    pageSize: 1000,
    keys: { find: place === "the key" ? fail : () => undefined, revoke: () => true },
    faults: { take: place === "the faults" ? fail : () => [] },
    cors: place === "the origin" ? Object.assign(["x"], { includes: fail }) : undefined,
  });
  onTestFinished(async () => {
    warned.mockRestore();
    await server.close();
  });
  const headers = { "content-type": "application/json", origin: "https://example.com" };
  const request = { method: "POST", headers, body: JSON.stringify({ query: "{ __typename }" }) };
  const response = await fetch(`http://127.0.0.1:${server.port}/graphql`, request);
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining(message)]);
  expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("canary-7f3a"));
});

test.each([2500, 200_000])(
  "refuses a document with %i unclosed braces, twice, with a syntax error",
  async (braces) => {
    const { send } = await startServer();
    const { status, errors } = await send("{a".repeat(braces));
    expect([status, errors?.[0]?.extensions.code]).toEqual([200, "HC0014"]);
  },
);

test("serves only POST requests to /graphql", async () => {
  const { url, key } = await startServer();
  const headers = { authorization: key };
  for (const path of ["/", "/graphql/", "/graphqlx", "//", "/%"])
    expect((await fetch(url.replace("/graphql", path), { headers })).status).toBe(404);
  for (const method of ["GET", "PUT", "DELETE"]) {
    const response = await fetch(`${url}?query=%7B__typename%7D`, { method, headers });
    expect([response.status, response.headers.get("allow"), await response.text()]).toEqual([
      405,
      "POST",
      "",
    ]);
  }
});

test("passes every GraphQL-over-HTTP audit except optional ones about GET", async () => {
  const { url, key } = await startServer();
  const fetchFn = (input: string, init: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...init.headers, authorization: key } });
  const results = await auditServer({ url, fetchFn });
  const failed = results.filter(({ status }) => status !== "ok").map(({ id, name }) => `${id} ${name}`);
  expect(failed.filter((audit) => !/^\w+ MAY .*\bGETs?\b/.test(audit))).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});
