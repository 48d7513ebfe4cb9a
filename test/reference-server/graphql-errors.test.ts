import { describe, expect, test } from "vitest";
import { account, license, plan, post, startServer } from "./graphql-setup.js";

const required = (name: string) => `The argument \`${name}\` is required.`;
const mismatch = "The specified argument value does not match the argument type.";
const unknown = (field: string, type: string) =>
  `The field \`${field}\` does not exist on the type \`${type}\`.`;

describe("says where a document is wrong", () => {
  const create = "createProcurementCase";
  const cases: [string, string, string, string, readonly string[], string | undefined][] = [
    [
      "an unknown field",
      "{ nonsense }",
      unknown("nonsense", "Query"),
      "VALIDATION_UNKNOWN_FIELD",
      ["nonsense"],
      undefined,
    ],
    [
      "an unknown nested field",
      "{ mine: applications { nodes { application { nonsense } } } }",
      unknown("nonsense", "Application"),
      "VALIDATION_UNKNOWN_FIELD",
      ["mine", "nodes", "application", "nonsense"],
      undefined,
    ],
    [
      "a missing required argument",
      `mutation { ${create} { case { id } } }`,
      required("input"),
      "VALIDATION_ARGUMENT_REQUIRED",
      [create],
      "input",
    ],
    [
      "an argument of the wrong type",
      '{ applications(first: "ten") { totalCount } }',
      mismatch,
      "HC0016",
      ["applications"],
      "first",
    ],
    [
      "a nested value of the wrong type",
      "{ licenses(where: { state: { activity: { eq: 7 } } }) { totalCount } }",
      mismatch,
      "HC0016",
      ["licenses"],
      "where.state.activity.eq",
    ],
    [
      "an unknown operator",
      '{ licenses(where: { id: { contains: "1" } }) { totalCount } }',
      mismatch,
      "HC0016",
      ["licenses"],
      "where.id.contains",
    ],
    [
      "a day that is none",
      '{ applications(where: { lastUsed: { eq: "2026-02-30" } }) { totalCount } }',
      mismatch,
      "HC0016",
      ["applications"],
      "where.lastUsed.eq",
    ],
    [
      "a missing input field",
      `mutation { ${create}(input: { state: PRE }) { case { id } } }`,
      mismatch,
      "HC0016",
      [create],
      "input",
    ],
    [
      "a variable of the wrong type",
      "query ($n: String) { applications(first: $n) { totalCount } }",
      mismatch,
      "HC0016",
      ["applications"],
      "first",
    ],
    [
      "a number as text",
      `mutation { ${create}(input: { name: "n", baselinePrice: "1" }) { case { id } } }`,
      mismatch,
      "HC0016",
      [create],
      "input.baselinePrice",
    ],
  ];
  test.each(cases)("%s", async (_, document, message, code, path, argument) => {
    const { send } = await startServer();
    const { status, errors, data } = await send(document);
    expect(status).toBe(200);
    expect(data).toBeUndefined();
    expect(errors).toEqual([
      expect.objectContaining({
        message,
        path,
        extensions: argument === undefined ? { code } : { code, argument },
      }),
    ]);
  });
});

describe("says where a variable is wrong", () => {
  const document =
    "mutation ($in: CreateProcurementCaseInput!) { make: createProcurementCase(input: $in) { case { id } } }";
  const cases: [string, object, string, string, string][] = [
    ["missing", {}, required("input"), "VALIDATION_ARGUMENT_REQUIRED", "input"],
    ["null", { in: null }, mismatch, "HC0016", "input"],
    ["text", { in: "n" }, mismatch, "HC0016", "input"],
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
  ];
  test.each(cases)("%s", async (_, variables, message, code, argument) => {
    const { send } = await startServer();
    const { status, errors } = await send(document, { ...variables });
    expect(status).toBe(200);
    expect(errors).toEqual([
      expect.objectContaining({ message, path: ["make"], extensions: { code, argument } }),
    ]);
  });

  test("and never repeats its value", async () => {
    const { send } = await startServer();
    const answer = await send(document, { in: { name: "n", deadline: "canary-7f3a" } });
    expect(answer.errors?.[0]?.message).toBe(mismatch);
    expect(JSON.stringify(answer)).not.toContain("canary");
  });
});

test("answers an invalid document with 400 where the client takes GraphQL responses", async () => {
  const { send, key } = await startServer();
  const headers = { authorization: key, accept: "application/graphql-response+json" };
  for (const [document, code] of [
    ["{ nonsense }", "VALIDATION_UNKNOWN_FIELD"],
    ["{", "HC0014"],
    ["query ($id: ID!) { __typename }", "VALIDATION_FAILED"],
  ]) {
    const { status, errors } = await send(document ?? "", {}, headers);
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.code).toBe(code);
  }
});

test("gives every failed field null and an error, beside the data of the others", async () => {
  const { send } = await startServer();
  const { status, data, errors } = await send(
    "{ good: applications { totalCount } bad: licenses(first: -1) { totalCount } }",
  );
  expect(status).toBe(200);
  expect(data).toEqual({ good: { totalCount: 0 }, bad: null });
  expect(errors?.map(({ path }) => path)).toEqual([["bad"]]);
});

test("keeps what went wrong inside of it to itself", async () => {
  const { send, installation, key } = await startServer();
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
  expect(JSON.stringify(errors)).not.toContain(key);
});

describe("bounds what a request can cost:", () => {
  test("a body above 1 MiB is answered with 413", async () => {
    const { send, url, key } = await startServer();
    const { status, errors } = await send("{ applications { totalCount } }", {
      padding: "x".repeat(16 * 1024 * 1024),
    });
    expect(status).toBe(413);
    expect(errors?.[0]?.extensions.code).toBe("HC0010");
    const next = await fetch(url, post("{ __typename }", key));
    expect(next.status).toBe(200);
  });

  test("nesting has a limit, in documents and in variables", async () => {
    const { send } = await startServer();
    const nested = (levels: number): object => (levels === 0 ? {} : { and: [nested(levels - 1)] });
    const document = "query ($where: LicenseFilterInput) { licenses(where: $where) { totalCount } }";
    expect((await send(document, { where: nested(20) })).errors).toBeUndefined();
    for (const answer of [
      await send(document, { where: nested(40) }),
      await send(`{ licenses(where: ${JSON.stringify(nested(40)).replaceAll('"', "")}) { totalCount } }`),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.errors?.[0]).toMatchObject({
        message: "The request is nested more than 64 levels deep.",
        extensions: { code: "VALIDATION_TOO_DEEP" },
      });
    }
  });

  test("a document of more than 10,000 tokens is refused", async () => {
    const { send } = await startServer();
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}: __typename`).join(" ");
    expect((await send(`{ ${fields(100)} }`)).errors).toBeUndefined();
    expect((await send(`{ ${fields(4000)} }`)).errors?.[0]?.extensions.code).toBe("HC0014");
  });

  test.each([5_000, 400_000])("%d opening braces are a syntax error", async (count) => {
    const { send } = await startServer();
    const { status, errors } = await send("{a".repeat(count / 2));
    expect(status).toBe(200);
    expect(errors?.[0]?.extensions.code).toBe("HC0014");
  });
});

test("answers what is no GraphQL request with 400 and a code", async () => {
  const { url, key } = await startServer();
  for (const body of ["", "nonsense", "[]", '{"query":1}']) {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: key, "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: "HC0009" } }] });
  }
});

test("serves nothing but /graphql", async () => {
  const { url, key } = await startServer();
  for (const path of ["/", "/graphql/", "/graphqlx", "//", "/%"]) {
    const response = await fetch(url.replace("/graphql", path), { headers: { authorization: key } });
    expect(response.status).toBe(404);
  }
});

test("answers with amounts that are exact to the cent, as numbers", async () => {
  const { installation, url, key } = await startServer({
    portfolio: { planPrices: [{ planName: "Pro", annualPricePerSeat: "1234567.89", currency: "EUR" }] },
  });
  installation.set({
    accounts: [account("a1")],
    plans: [plan("p1", "Pro", { paidSeats: 1001 })],
    licenses: [license("l1", "a1", "p1")],
  });
  const query = "{ licensePlans { nodes { pricingStats { annualCost } } } }";
  const response = await fetch(url, post(query, key));
  expect(await response.text()).toContain('"annualCost":1235802457.89}');
});

test.each(["GET", "PUT", "DELETE"])("answers %s with 405, and says that POST is allowed", async (method) => {
  const { url, key } = await startServer();
  const query = encodeURIComponent("{ applications { totalCount } }");
  const response = await fetch(`${url}?query=${query}`, { method, headers: { authorization: key } });
  expect([response.status, response.headers.get("allow"), await response.text()]).toEqual([405, "POST", ""]);
});
