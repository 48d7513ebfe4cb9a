import { readFileSync } from "node:fs";
import fc from "fast-check";
import { buildSchema } from "graphql";
import { beforeEach, expect, test, vi } from "vitest";
import { holds } from "../support/fuzz.js";
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
