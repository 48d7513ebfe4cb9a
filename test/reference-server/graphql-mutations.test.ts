import { expect } from "vitest";
import { schemaType, testOfAssumedSchema as test } from "../support/adopted.js";
import { plan, startServer } from "./graphql-setup.js";

const caseFields =
  "case { id name state savingAmount savingPercentage } errors { __typename ... on Error { message } }";
const createDocument = `mutation ($input: ${schemaType("CreateProcurementCaseInput")}!) { createProcurementCase(input: $input) { ${caseFields} } }`;
const updateDocument = `mutation ($input: ${schemaType("UpdateProcurementCaseInput")}!) { updateProcurementCase(input: $input) { ${caseFields} } }`;

interface Payload {
  readonly case: { readonly id: string } | null;
  readonly errors: readonly { readonly __typename: string; readonly message: string }[] | null;
}

async function start() {
  const server = await startServer();
  const create = async (input: object) =>
    (await server.query<{ createProcurementCase: Payload }>(createDocument, { input })).createProcurementCase;
  const update = async (input: object) =>
    (await server.query<{ updateProcurementCase: Payload }>(updateDocument, { input })).updateProcurementCase;
  const createId = async (input: object = {}): Promise<string> =>
    (await create({ name: "Renew Figma", ...input })).case?.id ?? "";
  return { ...server, create, update, createId };
}

const typed = (__typename: string) => [expect.objectContaining({ __typename })];

test("creates a case that is in PRE by default, has no savings without a baseline, and can be due today", async () => {
  const { create } = await start();
  const name = "Renew Figma";
  const input = { name, deadline: "2026-03-15", baselineType: "LAST_YEAR_COST", baselinePrice: 12000.5 };
  const id = expect.stringMatching(/./);
  expect(await create(input)).toEqual({
    case: { id, name, state: "PRE", savingAmount: 0, savingPercentage: 0 },
    errors: null,
  });
  expect((await create({ name })).case).toMatchObject({ savingAmount: null, savingPercentage: null });
  const free = await create({ name, baselinePrice: 0 });
  expect(free.case).toMatchObject({ savingAmount: 0, savingPercentage: null });
});

const INVALID: readonly (readonly [what: string, input: object])[] = [
  ["a blank name", { name: "  " }],
  ["a deadline in the past", { deadline: "2026-03-14" }],
  ["a negative price", { baselinePrice: -0.01 }],
  ["null as state", { state: null }],
];

test.each([...INVALID, ["the completed state", { state: "COMPLETED" }] as const])(
  "refuses to create a case with %s, with a typed error",
  async (_, input) => {
    const { create } = await start();
    const errors = typed("ProcurementCaseCreationError");
    expect(await create({ name: "n", ...input })).toEqual({ case: null, errors });
  },
);

test.each(["1e400", "1e999999999"])("refuses the literal %s as a price", async (price) => {
  const { send } = await start();
  const input = `{ name: "n", baselinePrice: ${price} }`;
  const { errors } = await send(`mutation { createProcurementCase(input: ${input}) { ${caseFields} } }`);
  expect(errors).toMatchObject([{ extensions: { code: "HC0016" } }]);
});

test("updates the given fields of a case and keeps the others", async () => {
  const { createId, update, workspace } = await start();
  const kept = { deadline: "2026-05-01", baselineType: "LAST_YEAR_COST" };
  const id = await createId({ ...kept, baselinePrice: 300 });
  const saved = { savingAmount: 99.9, savingPercentage: 33.3 };
  const updated = { case: { id, name: "Renew Figma", state: "PRE", ...saved }, errors: null };
  expect(await update({ id, baselinePrice: 200.1 })).toEqual(updated);
  expect((await update({ id, name: "Renew all" })).case).toMatchObject({ name: "Renew all", ...saved });
  expect(workspace.procurementCases.get(id)).toMatchObject(kept);
  await update({ id, deadline: null, baselineType: null });
  expect(workspace.procurementCases.get(id)).toMatchObject({ deadline: null, baselineType: null });
});

test("calculates savings from the first price of a case", async () => {
  const { createId, update } = await start();
  const id = await createId();
  for (const [baselinePrice, savingAmount, savingPercentage] of [
    [90, 0, 0],
    [60, 30, 33.33],
    [null, null, null],
    [45, 45, 50],
  ]) {
    expect((await update({ id, baselinePrice })).case).toMatchObject({ savingAmount, savingPercentage });
  }
});

test("refuses to change a completed or unknown case with a typed error", async () => {
  const { createId, update } = await start();
  const id = await createId();
  expect((await update({ id, state: "COMPLETED" })).case).toMatchObject({ state: "COMPLETED" });
  const refused = { case: null, errors: typed("ProcurementCaseCompletedError") };
  expect(await update({ id, state: "PRE" })).toEqual(refused);
  expect(await update({ id, name: "" })).toEqual(refused);
  const unknown = { case: null, errors: typed("ProcurementCaseNotFoundError") };
  expect(await update({ id: "c1", name: "n" })).toEqual(unknown);
});

test.each([...INVALID, ["null as name", { name: null }] as const])(
  "refuses to update a case with %s and changes nothing",
  async (_, change) => {
    const { createId, send, update } = await start();
    const id = await createId({ baselinePrice: 10 });
    const { status, data, errors } = await send(updateDocument, { input: { id, ...change } });
    expect([status, data]).toEqual([200, { updateProcurementCase: null }]);
    const extensions = { code: "INVALID_INPUT", argument: "input" };
    expect(errors).toMatchObject([{ path: ["updateProcurementCase"], extensions }]);
    const unchanged = { name: "Renew Figma", state: "PRE", savingAmount: 0 };
    expect((await update({ id })).case).toMatchObject(unchanged);
  },
);

async function startWithVendors() {
  const server = await startServer({
    portfolio: {
      applications: [
        { name: "Jira", vendorName: "Atlassian", state: "IN_REVIEW" },
        { name: "Trello", vendorName: "Atlassian", state: "SANCTIONED" },
        { name: "Slack", vendorName: "Salesforce", state: "DISQUALIFIED" },
      ],
    },
  });
  server.installation.set({ plans: [plan("p1", "Pro", { product: "Miro" })] });
  const change = async (state: string, where?: object) => {
    const { changeVendorsState } = await server.query<{ changeVendorsState: unknown }>(
      `mutation ($input: ${schemaType("ChangeVendorsStateInput")}!, $where: ${schemaType("VendorFilter")}) {
        changeVendorsState(input: $input, where: $where) { updatedCount errors { __typename } }
      }`,
      { input: { state }, where },
    );
    return changeVendorsState;
  };
  const states = async (): Promise<string> => {
    const { applications } = await server.query<{ applications: { nodes: { state: string }[] } }>(
      "{ applications(order: { application: { name: ASC } }) { nodes { state } } }",
    );
    return applications.nodes.map(({ state }) => state).join(" ");
  };
  return { ...server, change, states };
}

const UNCHANGED = "IN_REVIEW DISCOVERED DISQUALIFIED SANCTIONED";

test.each<[what: string, where: object | undefined, count: number, states: string]>([
  [
    "all applications of the vendors that match",
    { vendor: { name: { startsWith: "A" } } },
    1,
    "ARCHIVED DISCOVERED DISQUALIFIED ARCHIVED",
  ],
  ["every vendor without a filter", undefined, 3, "ARCHIVED ARCHIVED ARCHIVED ARCHIVED"],
  [
    "vendors that match combined filters",
    { or: [{ vendor: { name: { eq: "Miro" } } }, { vendor: { name: { contains: "force" } } }] },
    2,
    "IN_REVIEW ARCHIVED ARCHIVED SANCTIONED",
  ],
  ["nothing if no vendor matches", { vendor: { name: { eq: "Nobody" } } }, 0, UNCHANGED],
])("changes the state of %s", async (_, where, updatedCount, expected) => {
  const { change, states } = await startWithVendors();
  expect(await change("ARCHIVED", where)).toEqual({ updatedCount, errors: null });
  expect(await states()).toBe(expected);
});

test("refuses null inside a vendor filter and changes nothing", async () => {
  const { send, states } = await startWithVendors();
  const { errors } = await send(
    "mutation { changeVendorsState(input: { state: ARCHIVED }, where: { vendor: null }) { updatedCount } }",
  );
  expect(errors?.[0]?.extensions).toEqual({ code: "HC0026", argument: "where.vendor" });
  expect(await states()).toBe(UNCHANGED);
});
