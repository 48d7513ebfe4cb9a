import { request } from "node:https";
import { text } from "node:stream/consumers";
import { auditServer } from "graphql-http";
import { expect, test } from "vitest";
import { schemaType } from "../support/adopted.js";
import { identity } from "../support/tls-certificates.js";
import { account, license, plan, post, startServer } from "./graphql-setup.js";

const required = (name: string) => `The argument \`${name}\` is required.`;
const mismatch = "The specified argument value does not match the argument type.";
const unknown = (field: string, type: string) =>
  `The field \`${field}\` does not exist on the type \`${type}\`.`;

const create = "createProcurementCase";

// The service description shows these messages.
test.each<[what: string, document: string, message: string, code: string, path: string, argument?: string]>([
  ["an unknown field", "{ nonsense }", unknown("nonsense", "Query"), "VALIDATION_UNKNOWN_FIELD", "nonsense"],
  [
    "an unknown nested field",
    "{ mine: applications { nodes { application { nonsense } } } }",
    unknown("nonsense", "Application"),
    "VALIDATION_UNKNOWN_FIELD",
    "mine.nodes.application.nonsense",
  ],
  [
    "a missing required argument",
    `mutation { ${create} { case { id } } }`,
    required("input"),
    "VALIDATION_ARGUMENT_REQUIRED",
    create,
    "input",
  ],
  [
    "an argument of the wrong type",
    '{ applications(first: "ten") { totalCount } }',
    mismatch,
    "HC0016",
    "applications",
    "first",
  ],
  [
    "a nested value of the wrong type",
    "{ licenses(where: { state: { activity: { eq: 7 } } }) { totalCount } }",
    mismatch,
    "HC0016",
    "licenses",
    "where.state.activity.eq",
  ],
  [
    "an unknown operator",
    '{ licenses(where: { id: { contains: "1" } }) { totalCount } }',
    mismatch,
    "HC0016",
    "licenses",
    "where.id.contains",
  ],
  [
    "a date that does not exist",
    '{ applications(where: { lastUsed: { eq: "2026-02-30" } }) { totalCount } }',
    mismatch,
    "HC0016",
    "applications",
    "where.lastUsed.eq",
  ],
  [
    "a missing input field",
    `mutation { ${create}(input: { state: PRE }) { case { id } } }`,
    mismatch,
    "HC0016",
    create,
    "input",
  ],
  [
    "a variable of the wrong type",
    "query ($n: String) { applications(first: $n) { totalCount } }",
    mismatch,
    "HC0016",
    "applications",
    "first",
  ],
  [
    "a string in place of a number",
    `mutation { ${create}(input: { name: "n", baselinePrice: "1" }) { case { id } } }`,
    mismatch,
    "HC0016",
    create,
    "input.baselinePrice",
  ],
])("says where a document has %s", async (_, document, message, code, path, argument) => {
  const { send } = await startServer();
  const { status, errors, data } = await send(document);
  expect([status, data]).toEqual([200, undefined]);
  expect(errors).toEqual([
    expect.objectContaining({
      message,
      path: path.split("."),
      extensions: argument === undefined ? { code } : { code, argument },
    }),
  ]);
});

const withVariable = `mutation ($in: ${schemaType("CreateProcurementCaseInput")}!) { make: createProcurementCase(input: $in) { case { id } } }`;

test.each<[what: string, variables: object, message: string, code: string, argument: string]>([
  ["that is missing", {}, required("input"), "VALIDATION_ARGUMENT_REQUIRED", "input"],
  ["that is null", { in: null }, mismatch, "HC0016", "input"],
  ["that is a string", { in: "n" }, mismatch, "HC0016", "input"],
  ["without a required field", { in: {} }, mismatch, "HC0016", "input"],
  [
    "with a wrong field",
    { in: { name: "n", baselinePrice: "1" } },
    mismatch,
    "HC0016",
    "input.baselinePrice",
  ],
  ["with an unknown field", { in: { name: "n", colour: "red" } }, mismatch, "HC0016", "input"],
  ["with an unknown state", { in: { name: "n", state: "POST" } }, mismatch, "HC0016", "input.state"],
])("says where a variable is wrong %s", async (_, variables, message, code, argument) => {
  const { send } = await startServer();
  const { status, errors } = await send(withVariable, { ...variables });
  expect(status).toBe(200);
  expect(errors).toEqual([
    expect.objectContaining({ message, path: ["make"], extensions: { code, argument } }),
  ]);
});

test("never repeats the value of a variable", async () => {
  const { send } = await startServer();
  const answer = await send(withVariable, { in: { name: "n", deadline: "canary-7f3a" } });
  expect(JSON.stringify(answer)).not.toContain("canary");
});

test.each([
  ["{ nonsense }", "VALIDATION_UNKNOWN_FIELD"],
  ["{", "HC0014"],
  ["query ($id: ID!) { __typename }", "VALIDATION_FAILED"],
])(
  "answers the invalid document %s with 400 if the client accepts GraphQL responses",
  async (document, code) => {
    const { send, key } = await startServer();
    const headers = { authorization: key, accept: "application/graphql-response+json" };
    const { status, errors } = await send(document, {}, headers);
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, code]);
  },
);

test("answers a failed field with null and an error beside the data of the others", async () => {
  const { send } = await startServer();
  const { status, data, errors } = await send(
    "{ good: applications { totalCount } bad: licenses(first: -1) { totalCount } }",
  );
  expect([status, data]).toEqual([200, { good: { totalCount: 0 }, bad: null }]);
  expect(errors?.map(({ path }) => path)).toEqual([["bad"]]);
});

test("reveals nothing about internal errors", async () => {
  const { send, installation } = await startServer();
  installation.records = () => {
    throw new Error("canary-7f3a");
  };
  const { status, data, errors } = await send("{ licenses { totalCount } }");
  expect({ status, data }).toEqual({ status: 200, data: { licenses: null } });
  expect(errors).toEqual([
    {
      message: "Unexpected execution error.",
      locations: [{ line: 1, column: 3 }],
      path: ["licenses"],
      extensions: { code: "EXEC_FAILED" },
    },
  ]);
});

test.each([
  ["5,000 open braces", "{a".repeat(2500)],
  ["400,000 open braces", "{a".repeat(200_000)],
])("refuses a document with %s as a syntax error", async (_, document) => {
  const { send } = await startServer();
  const { status, errors } = await send(document);
  expect([status, errors?.[0]?.extensions.code]).toEqual([200, "HC0014"]);
});

test.each(["", "nonsense", "[]", '{"query":1}'])("answers the body %j with 400 and a code", async (body) => {
  const { url, key } = await startServer();
  const headers = { authorization: key, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: "HC0009" } }] });
});

test("serves nothing but /graphql", async () => {
  const { url, key } = await startServer();
  for (const path of ["/", "/graphql/", "/graphqlx", "//", "/%"]) {
    const response = await fetch(url.replace("/graphql", path), { headers: { authorization: key } });
    expect(response.status).toBe(404);
  }
});

test.each(["GET", "PUT", "DELETE"])("answers %s with 405 and allows POST", async (method) => {
  const { url, key } = await startServer();
  const query = encodeURIComponent("{ applications { totalCount } }");
  const response = await fetch(`${url}?query=${query}`, { method, headers: { authorization: key } });
  expect([response.status, response.headers.get("allow"), await response.text()]).toEqual([405, "POST", ""]);
});

test("sends amounts as numbers that are exact to the cent", async () => {
  const { installation, url, key } = await startServer({
    portfolio: { planPrices: [{ planName: "Pro", annualPricePerSeat: "1234567.89", currency: "EUR" }] },
  });
  installation.set({
    accounts: [account("a1")],
    plans: [plan("p1", "Pro", { paidSeats: 1001 })],
    licenses: [license("l1", "a1", "p1")],
  });
  const query = "{ licensePlans { nodes { pricingStats { annualCost } } } }";
  expect(await (await fetch(url, post(query, key))).text()).toContain('"annualCost":1235802457.89}');
});

test("passes every audit of GraphQL over HTTP except optional ones about GET", async () => {
  const { url, key } = await startServer();
  const fetchFn = (input: string, init: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...init.headers, authorization: key } });
  const results = await auditServer({ url, fetchFn });
  const failed = results.filter(({ status }) => status !== "ok").map(({ id, name }) => `${id} ${name}`);
  expect(failed.filter((audit) => !/^\w+ MAY .*\bGETs?\b/.test(audit))).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});

test("serves over TLS", async () => {
  const tls = identity("self-signed");
  const { url, key } = await startServer({ tls });
  const body = await new Promise<string>((resolve, reject) => {
    const { headers, body: sent } = post("{ __typename }", key);
    const options = { method: "POST", ca: tls.cert, servername: "localhost", headers };
    request(url, options, (response) => resolve(text(response)))
      .once("error", reject)
      .end(sent);
  });
  expect(JSON.parse(body)).toEqual({ data: { __typename: "Query" } });
});
