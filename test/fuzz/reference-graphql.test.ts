import { readFileSync } from "node:fs";
import fc from "fast-check";
import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { beforeEach, expect, test, vi } from "vitest";
import { holds } from "../support/fuzz.js";
import { TIMEOUT_MS } from "../support/property-runs.js";
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

/** The data and errors of an answer, which is never a failure of the server. */
async function post(query: string, variables: object): Promise<{ data?: unknown; errors?: unknown }> {
  const response = await fetch(`${service.server.baseUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: service.server.apiKey },
    body: JSON.stringify({ query, variables }),
  });
  expect(response.status).toBeLessThan(500);
  return response.json();
}

const text = fc.oneof(
  fc.constantFrom("", "Box", "box", "a", "İ", "__proto__", "\u0000", "%", "\\", "\ud800", "x".repeat(3000)),
  fc.string({ unit: "binary", maxLength: 5 }),
);

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
      const { data, errors } = await post(of.query, variables);
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
  await holds({ group: "conditions and orders at the reference server", what: "of the schema" }, property);
  expect(Math.min(seen.some, seen.none)).toBeGreaterThan(0);
});

/** Values of inputs that a schema allows. @param depth how many more levels of input objects may be nested */
function inputOf(type: GraphQLInputType, depth: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return shapeOf(type.ofType, depth);
  return fc.oneof(
    { weight: 6, arbitrary: shapeOf(type, depth) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

function shapeOf(type: GraphQLInputType, depth: number): fc.Arbitrary<unknown> {
  if (isListType(type)) return fc.array(inputOf(type.ofType, depth), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name));
  if (isInputObjectType(type)) return objectOf(type, depth);
  if (isNonNullType(type)) return shapeOf(type.ofType, depth);
  return scalarOf(type.name);
}

function scalarOf(name: string): fc.Arbitrary<unknown> {
  switch (name) {
    case "Int":
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case "Boolean":
      return fc.boolean();
    case "Decimal":
      return fc.constantFrom<unknown>("0", "12.50", "-1", 7, 0.1, "1e3", "99999999999999999999.99");
    case "Date":
      return fc.constantFrom("2026-03-15", "0001-01-01", "9999-12-31", "2024-02-29");
    default:
      return text;
  }
}

function objectOf(type: GraphQLInputObjectType, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.values(type.getFields());
  if (depth === 0) return fc.constant({});
  return fc
    .subarray(fields, { maxLength: Math.min(2, fields.length) })
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((field) => [field.name, inputOf(field.type, depth - 1)]))),
    );
}
