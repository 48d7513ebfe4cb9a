import fc from "fast-check";
import { expect, test } from "vitest";
import { schemaType } from "../support/adopted.js";
import { LIMITS, RUNS } from "../support/property-runs.js";
import { discoveredUsage, plan, startServer } from "./graphql-setup.js";

/** Names differ in case; owner, category and last use are missing in some. */
const APPLICATIONS = [
  { name: "Figma", vendorName: "Figma Inc", category: "Design", state: "SANCTIONED" },
  { name: "figjam", vendorName: "Figma Inc", category: "Design", state: "IN_REVIEW" },
  { name: "Slack", vendorName: "Salesforce", owner: { id: "o1", name: "Ann" }, state: "SANCTIONED" },
  { name: "Notion", owner: { id: "o2" }, state: "ARCHIVED" },
] as const;
const DAYS = { Figma: "2026-03-01", figjam: "2026-03-10", Slack: "2026-02-20", Notion: null };

/** The fields of each application that a filter can refer to. */
const ROWS = APPLICATIONS.map(({ name, state, ...fields }) => ({
  application: {
    name,
    vendorName: "vendorName" in fields ? fields.vendorName : name,
    category: "category" in fields ? { name: fields.category } : null,
  },
  owner: "owner" in fields ? { id: fields.owner.id } : null,
  state,
  lastUsed: DAYS[name],
  userCountStat: { all: name === "Figma" ? 2 : name === "Notion" ? 0 : 1 },
}));

async function startWithApplications() {
  const server = await startServer({ portfolio: { applications: [...APPLICATIONS] } });
  const events = ["Figma", "figjam", "Slack"] as const;
  server.installation.set({
    externallyDiscoveredUsage: [
      ...events.map((name) => discoveredUsage("a", name, { at: `${DAYS[name]}T10:00:00Z` }, "a@acme.test")),
      discoveredUsage("b", "Figma", { at: "2026-01-01T10:00:00Z" }, "b@acme.test"),
    ],
  });
  const document = `query ($where: ${schemaType("ApplicationFilter")}) {
    applications(first: 100, where: $where) { nodes { application { name } } totalCount }
  }`;
  interface Data {
    readonly applications: { nodes: { application: { name: string } }[]; totalCount: number };
  }
  return {
    names: async (where: unknown) => {
      const { nodes, totalCount } = (await server.query<Data>(document, { where })).applications;
      expect(totalCount).toBe(nodes.length);
      return nodes.map(({ application }) => application.name).sort();
    },
    errorOf: async (where: unknown) => (await server.send(document, { where })).errors?.[0],
  };
}

const OPERATORS: Readonly<Record<string, (actual: unknown, operand: unknown) => boolean>> = {
  eq: (actual, operand) => actual === operand,
  in: (actual, operand) => Array.isArray(operand) && operand.includes(actual),
  contains: (actual, part) => typeof actual === "string" && actual.includes(`${part}`),
  startsWith: (actual, part) => typeof actual === "string" && actual.startsWith(`${part}`),
  endsWith: (actual, part) => typeof actual === "string" && actual.endsWith(`${part}`),
  gte: (actual, day) => typeof actual === "string" && actual >= `${day}`,
  lte: (actual, day) => typeof actual === "string" && actual <= `${day}`,
};

/** The filter, written from the service description. */
function matches(where: object, row: unknown): boolean {
  return Object.entries(where).every(([name, value]) => {
    if (name === "and") return value.every((part: object) => matches(part, row));
    if (name === "or") return value.some((part: object) => matches(part, row));
    const operator = OPERATORS[name] ?? OPERATORS[name.slice(1)];
    if (operator !== undefined) return operator(row, value) === name in OPERATORS;
    return matches(value, row === null ? null : Reflect.get(Object(row), name));
  });
}

/** Conditions on some of the fields, mostly on one, because few rows match many conditions. */
const someOf = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> => {
  const single = Object.entries(fields).map(([name, of]) => of.map((value) => ({ [name]: value })));
  return fc.oneof(...single, fc.record(fields, { requiredKeys: [] }));
};
const conditions = (
  values: readonly (string | number | null)[],
  more: Record<string, fc.Arbitrary<unknown>> = {},
) => {
  const value = fc.constantFrom(...values);
  const list = fc.array(value, { maxLength: 3 });
  return someOf({ eq: value, neq: value, in: list, nin: list, ...more });
};
const part = fc.constantFrom("", "ig", "Ig", "Fig", "ma", "n", "Figma", "Inc");
const TEXT = Object.fromEntries(
  ["contains", "startsWith", "endsWith"].flatMap((name) => [name, `n${name}`]).map((name) => [name, part]),
);
const text = conditions(["Figma", "FIGMA", "Slack", "Design", "Salesforce"], TEXT);
const missing = conditions(["Design", null], TEXT);
const day = fc.constantFrom("2026-02-20", "2026-02-28", "2026-03-01", "2026-03-10");
const combined = (fields: Record<string, fc.Arbitrary<object>>): fc.Arbitrary<object> =>
  fc.letrec<{ where: object }>((tie) => {
    const parts = fc.array(tie("where"), { maxLength: 3 });
    const nested = someOf({ and: parts, or: parts, ...fields });
    return { where: fc.oneof({ maxDepth: 2 }, someOf(fields), nested) };
  }).where;
const where = combined({
  application: combined({
    name: text,
    vendorName: conditions(["Figma Inc", "Notion"], TEXT),
    category: someOf({ name: missing }),
  }),
  owner: someOf({ id: conditions(["o1", "o2", null]) }),
  state: conditions(["SANCTIONED", "IN_REVIEW", "ARCHIVED"]),
  lastUsed: conditions(["2026-03-10", "2026-02-20", null], { gte: day, lte: day }),
  userCountStat: someOf({ all: conditions([0, 1, 2]) }),
});

test("filters the way the service description says", async () => {
  const { names } = await startWithApplications();
  await fc.assert(
    fc.asyncProperty(where, async (filter) => {
      const expected = ROWS.filter((row) => matches(filter, row)).map(({ application }) => application.name);
      expect(await names(filter)).toEqual(expected.sort());
    }),
    { ...LIMITS, numRuns: 2 * RUNS },
  );
});

// Ignoring null would match more than the caller asked for.
test.each([
  ["where.application", { application: null }],
  ["where.application.name", { application: { name: null } }],
  ["where.application.name.contains", { application: { name: { contains: null } } }],
  ["where.lastUsed.gte", { lastUsed: { gte: null } }],
  ["where.state.in", { state: { in: null } }],
  ["where.or", { or: null }],
])("refuses null at %s", async (argument, filter) => {
  const { errorOf } = await startWithApplications();
  const extensions = { code: "HC0026", argument };
  expect(await errorOf(filter)).toMatchObject({ path: ["applications"], extensions });
});

test("compares decimals by value", async () => {
  const { installation, query } = await startServer({
    portfolio: { planPrices: [{ planName: "Pro", annualPricePerSeat: "0.10", currency: "EUR" }] },
  });
  installation.set({
    plans: [plan("p1", "Pro", { paidSeats: 3 }), plan("p2", "Pro", { paidSeats: 7 }), plan("p3", "Free")],
  });
  const document = `query ($where: ${schemaType("LicensePlanFilter")}) { licensePlans(where: $where) { nodes { id } } }`;
  const idsWhere = async (annualCost: object) => {
    const filter = { where: { pricingStats: { annualCost } } };
    const data = await query<{ licensePlans: { nodes: { id: string }[] } }>(document, filter);
    return data.licensePlans.nodes.map(({ id }) => id.replace("i1:", "")).join(" ");
  };
  expect(await idsWhere({ eq: 0.3 })).toBe("p1");
  expect(await idsWhere({ neq: 0.3 })).toBe("p2 p3");
  expect(await idsWhere({ in: [0.7, 1] })).toBe("p2");
  expect(await idsWhere({ eq: null })).toBe("p3");
});
