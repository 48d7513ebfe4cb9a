import { type ReferenceServer, startReferenceServer } from "@saas-management/sdk/reference-server";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ApplicationsDocument,
  LicensePlansDocument,
  LicensesDocument,
} from "../../src/graphql/generated/operations.js";
import { holds } from "../support/fuzz.js";
import { mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";

let server: ReferenceServer;
beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server.close());

/** Sends a body and gives the answer, which is a GraphQL response whatever was sent. */
async function post(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; data: unknown; errors: unknown }> {
  const response = await fetch(`${server.baseUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: server.apiKey },
    body,
  });
  const answer: { data?: unknown; errors?: unknown } = await response.json();
  expect(response.status).toBeLessThan(500);
  expect(JSON.stringify(answer)).not.toContain("Unexpected execution error");
  return { status: response.status, data: answer.data, errors: answer.errors };
}

const documents = [ApplicationsDocument, LicensesDocument, LicensePlansDocument].map((document) =>
  String(document),
);

/** Conditions as somebody might make them who wants to break the server, or only mistakes its names. */
const operator = fc.constantFrom(
  "eq",
  "neq",
  "in",
  "nin",
  "contains",
  "nstartsWith",
  "gte",
  "lte",
  "and",
  "or",
);
const field = fc.constantFrom(
  "state",
  "name",
  "application",
  "contractDetails",
  "__proto__",
  "constructor",
  "id",
  "plan",
);
const filter = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue({ maxDepth: 1 }),
    tie("object"),
    fc.array(tie("object"), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.oneof(field, operator), tie("value"), { maxKeys: 3 }),
})).value;
const cursor = fc.oneof(
  fc.constantFrom<unknown>(null, "", "a", "e30=", "bnVsbA==", "\u0000", 5, { a: 1 }),
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => Buffer.from(text).toString("base64url")),
  fc.string({ unit: "binary", maxLength: 10 }),
);
const pageSize = fc.constantFrom<unknown>(undefined, null, 0, -1, 1, 2 ** 31, 1.5, "1", 1e300, true);

describe("a hostile request to the reference server's GraphQL API", { timeout: TIMEOUT_MS }, () => {
  it("with any filter, order and cursor has a page or errors for an answer", async () => {
    const variables = fc.record(
      { first: pageSize, after: cursor, last: pageSize, before: cursor, where: filter, order: filter },
      { requiredKeys: [] },
    );
    const property = fc.asyncProperty(fc.constantFrom(...documents), variables, async (query, given) => {
      const { data, errors } = await post(JSON.stringify({ query, variables: given }));
      expect(Array.isArray(errors) || (typeof data === "object" && data !== null)).toBe(true);
    });
    await holds(
      {
        group: "cursors, filters and documents at the reference server",
        what: "filters, orders and cursors",
        share: 0.5,
      },
      property,
    );
  });

  it("with any document, or bytes that are none, has errors for an answer where it is not right", async () => {
    const bodies = documents.map((query) => Buffer.from(JSON.stringify({ query, variables: { first: 1 } })));
    const documentsInJson = mutatedBytes(documents.map((text) => Buffer.from(text))).map((bytes) =>
      Buffer.from(JSON.stringify({ query: bytes.toString() })),
    );
    const property = fc.asyncProperty(fc.oneof(mutatedBytes(bodies), documentsInJson), async (body) => {
      const { data, errors } = await post(body);
      expect(Array.isArray(errors) || (typeof data === "object" && data !== null)).toBe(true);
    });
    await holds(
      { group: "cursors, filters and documents at the reference server", what: "documents", share: 0.5 },
      property,
    );
  });
});
