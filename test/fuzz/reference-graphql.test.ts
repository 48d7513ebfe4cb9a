import { readFileSync } from "node:fs";
import fc from "fast-check";
import { buildSchema } from "graphql";
import { beforeEach, expect, test, vi } from "vitest";
import {
  ApplicationsDocument,
  LicensePlansDocument,
  LicensesDocument,
} from "../../src/graphql/generated/operations.js";
import { holds } from "../support/fuzz.js";
import { mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
import { inputOf } from "../support/schema-arbitraries.js";
import { accounts, ids, testService } from "../support/test-service.js";

vi.setConfig({ testTimeout: TIMEOUT_MS });

/** Without any nodes the server would never evaluate a condition. */
const NAMES = ["Asana", "Box", "box office", "Canva", "İstanbul"];
const service = testService({
  server: {
    portfolio: {
      applications: NAMES.map((name, i) => ({
        name,
        ...(i % 2 === 0 ? { vendorName: `${name} Inc.` } : {}),
      })),
      planPrices: [{ planName: "Pro", annualPricePerSeat: "12.50", currency: "EUR" }],
    },
  },
});
beforeEach(async () => {
  const batch = await service.startBatch();
  await batch.write("accounts", accounts(4));
  await batch.write("plans", [
    { id: "p1", externalPlanName: "Pro", details: { model: "SEAT_BASED", seatBased: {} } },
  ]);
  await batch.write(
    "licenses",
    ids(3).map((id) => ({ sourceId: id, sourceAccountId: id, sourcePlanId: "p1", billable: true })),
  );
  await batch.complete();
});

/** Sends a body and returns the answer, which is a GraphQL response for any body. */
async function post(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; data: unknown; errors: unknown }> {
  const response = await fetch(`${service.server.baseUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: service.server.apiKey },
    body,
  });
  const answer: { data?: unknown; errors?: unknown } = await response.json();
  expect(response.status).toBeLessThan(500);
  expect(JSON.stringify(answer)).not.toContain("Unexpected execution error");
  return { status: response.status, data: answer.data, errors: answer.errors };
}

const GROUP = { group: "cursors, filters and documents at the reference server" } as const;

const documents = [ApplicationsDocument, LicensesDocument, LicensePlansDocument].map((document) =>
  String(document),
);

/** Conditions with wrong names and hostile keys. */
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

/** The lists of the API. */
const schema = buildSchema(readFileSync("schema/schema.graphql", "utf8"));
const lists = ["applications", "licenses", "licensePlans"].map((name) => {
  const field = schema.getQueryType()?.getFields()[name];
  const types = new Map(field?.args.map((argument) => [argument.name, argument.type]));
  const [where, order] = [types.get("where"), types.get("order")];
  if (where === undefined || order === undefined) throw new Error(`${name} has no conditions or no order`);
  const declared = [...types].map(([argument, type]) => `$${argument}: ${type}`).join(", ");
  const passed = [...types.keys()].map((argument) => `${argument}: $${argument}`).join(", ");
  const selected = "totalCount nodes { id } pageInfo { hasNextPage endCursor }";
  return { name, where, order, query: `query Q(${declared}) { ${name}(${passed}) { ${selected} } }` };
});
const list = fc.constantFrom(...lists);

interface ListAnswer {
  readonly totalCount: number;
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

test("the reference server answers any filter, order and cursor with a page or errors", async () => {
  const variables = fc.record(
    { first: pageSize, after: cursor, last: pageSize, before: cursor, where: filter, order: filter },
    { requiredKeys: [] },
  );
  const property = fc.asyncProperty(list, variables, async ({ query }, given) => {
    const { data, errors } = await post(JSON.stringify({ query, variables: given }));
    expect(Array.isArray(errors) || (typeof data === "object" && data !== null)).toBe(true);
  });
  await holds({ ...GROUP, what: "filters, orders and cursors", share: 0.5 }, property);
});

test("the reference server returns each item once for any filter and order that the schema allows", async () => {
  const request = list.chain((of) =>
    fc.record({
      of: fc.constant(of),
      where: inputOf(of.where, 4),
      order: inputOf(of.order, 3),
      first: fc.integer({ min: 1, max: 3 }),
    }),
  );
  const seen = { some: 0, none: 0 };
  const property = fc.asyncProperty(request, async ({ of, where, order, first }) => {
    const page = async (variables: object): Promise<ListAnswer | undefined> => {
      const { data, errors } = await post(JSON.stringify({ query: of.query, variables }));
      if (errors !== undefined) return undefined;
      return Reflect.get(Object(data), of.name);
    };
    const whole = await page({ where, order, first: 100 });
    if (whole === undefined) return;
    seen[whole.totalCount === 0 ? "none" : "some"] += 1;
    expect(whole.nodes).toHaveLength(whole.totalCount);
    const walked: unknown[] = [];
    let after: string | null = null;
    do {
      const next: ListAnswer | undefined = await page({ where, order, first, after });
      walked.push(...(next?.nodes ?? []));
      expect(walked.length).toBeLessThanOrEqual(whole.totalCount);
      after = next?.pageInfo.hasNextPage === true ? next.pageInfo.endCursor : null;
    } while (after !== null);
    expect(walked).toEqual(whole.nodes);
  });
  await holds({ ...GROUP, what: "conditions and orders of the schema", share: 0.2 }, property);
  expect(Math.min(seen.some, seen.none)).toBeGreaterThan(0);
});

test("the reference server answers invalid documents and bytes with errors", async () => {
  const bodies = documents.map((query) => Buffer.from(JSON.stringify({ query, variables: { first: 1 } })));
  const documentsInJson = mutatedBytes(documents.map((text) => Buffer.from(text))).map((bytes) =>
    Buffer.from(JSON.stringify({ query: bytes.toString() })),
  );
  const property = fc.asyncProperty(fc.oneof(mutatedBytes(bodies), documentsInJson), async (body) => {
    const { data, errors } = await post(body);
    expect(Array.isArray(errors) || (typeof data === "object" && data !== null)).toBe(true);
  });
  await holds({ ...GROUP, what: "documents", share: 0.5 }, property);
});
