import { describe, expect, test } from "vitest";
import { plan, startServer } from "./graphql-setup.js";

const caseFields =
  "case { id name state savingAmount savingPercentage } errors { __typename ... on Error { message } }";
const createDocument = `mutation ($input: CreateProcurementCaseInput!) { createProcurementCase(input: $input) { ${caseFields} } }`;
const updateDocument = `mutation ($input: UpdateProcurementCaseInput!) { updateProcurementCase(input: $input) { ${caseFields} } }`;

interface Payload {
  readonly case: {
    readonly id: string;
    readonly name: string;
    readonly state: string;
    readonly savingAmount: number | null;
    readonly savingPercentage: number | null;
  } | null;
  readonly errors: readonly { readonly __typename: string; readonly message: string }[] | null;
}

async function start() {
  const server = await startServer();
  const create = async (input: object) =>
    (await server.query<{ createProcurementCase: Payload }>(createDocument, { input })).createProcurementCase;
  const update = async (input: object) =>
    (await server.query<{ updateProcurementCase: Payload }>(updateDocument, { input })).updateProcurementCase;
  const createId = async (input: object = {}): Promise<string> => {
    const created = await create({ name: "Renew Figma", ...input });
    return created.case?.id ?? "";
  };
  return { ...server, create, update, createId };
}

describe("createProcurementCase", () => {
  test("opens a case", async () => {
    const { create } = await start();
    const payload = await create({
      state: "PRE",
      name: "Renew Figma",
      deadline: "2026-04-30",
      baselineType: "LAST_YEAR_COST",
      baselinePrice: 12000.5,
    });
    expect(payload).toEqual({
      case: {
        id: expect.stringMatching(/./),
        name: "Renew Figma",
        state: "PRE",
        savingAmount: 0,
        savingPercentage: 0,
      },
      errors: null,
    });
  });

  test("begins in PRE, and knows no saving without a price", async () => {
    const { create } = await start();
    expect((await create({ name: "Renew Figma" })).case).toMatchObject({
      state: "PRE",
      savingAmount: null,
      savingPercentage: null,
    });
  });

  test("takes today as a deadline", async () => {
    const { create } = await start();
    expect((await create({ name: "Renew Figma", deadline: "2026-03-15" })).errors).toBeNull();
  });

  const refusals: [string, object, string][] = [
    ["a blank name", { name: "  " }, "`name` must not be blank."],
    ["a deadline in the past", { name: "n", deadline: "2026-03-14" }, "`deadline` must not lie in the past."],
    ["a negative price", { name: "n", baselinePrice: -0.01 }, "`baselinePrice` must not be negative."],
    ["no state", { name: "n", state: null }, "`state` must not be null."],
    ["a completed state", { name: "n", state: "COMPLETED" }, "A procurement case cannot begin completed."],
  ];
  test.each(refusals)("refuses %s with a typed error", async (_, input, message) => {
    const { create } = await start();
    const errors = [{ __typename: "ProcurementCaseCreationError", message }];
    expect(await create(input)).toEqual({ case: null, errors });
  });

  test.each(["1e400", "1e999999999", "1e-999999999"])(
    "refuses %s, which no variable could hold",
    async (price) => {
      const { send } = await start();
      const { errors } = await send(
        `mutation { createProcurementCase(input: { name: "n", baselinePrice: ${price} }) { ${caseFields} } }`,
      );
      expect(errors).toMatchObject([
        { message: "The specified argument value does not match the argument type." },
      ]);
    },
  );

  test("names every problem", async () => {
    const { create } = await start();
    const { errors } = await create({ name: "", deadline: "2020-01-01", baselinePrice: -1 });
    expect(errors).toHaveLength(3);
  });
});

describe("updateProcurementCase", () => {
  test("changes what is given and leaves the rest", async () => {
    const { createId, update, workspace } = await start();
    const id = await createId({ baselinePrice: 300, deadline: "2026-05-01", baselineType: "LAST_YEAR_COST" });
    expect(await update({ id, baselinePrice: 200.1 })).toEqual({
      case: { id, name: "Renew Figma", state: "PRE", savingAmount: 99.9, savingPercentage: 33.3 },
      errors: null,
    });
    expect((await update({ id, name: "Renew all" })).case).toMatchObject({
      name: "Renew all",
      savingAmount: 99.9,
    });
    const kept = { deadline: "2026-05-01", baselineType: "LAST_YEAR_COST" };
    expect(workspace.procurementCases.get(id)).toMatchObject(kept);
    await update({ id, deadline: null, baselineType: null });
    expect(workspace.procurementCases.get(id)).toMatchObject({ deadline: null, baselineType: null });
  });

  test("counts savings from the first price that the case had", async () => {
    const { createId, update } = await start();
    const id = await createId();
    expect((await update({ id, baselinePrice: 90 })).case).toMatchObject({
      savingAmount: 0,
      savingPercentage: 0,
    });
    expect((await update({ id, baselinePrice: 60 })).case).toMatchObject({
      savingAmount: 30,
      savingPercentage: 33.33,
    });
    expect((await update({ id, baselinePrice: null })).case).toMatchObject({
      savingAmount: null,
      savingPercentage: null,
    });
    expect((await update({ id, baselinePrice: 45 })).case).toMatchObject({
      savingAmount: 45,
      savingPercentage: 50,
    });
  });

  test("has no percentage of a first price of 0", async () => {
    const { createId, update } = await start();
    const id = await createId({ baselinePrice: 0 });
    expect((await update({ id, baselinePrice: 5 })).case).toMatchObject({
      savingAmount: -5,
      savingPercentage: null,
    });
  });

  test("completes a case, which then cannot be changed, not even back", async () => {
    const { createId, update } = await start();
    const id = await createId();
    expect((await update({ id, state: "COMPLETED" })).case).toMatchObject({ state: "COMPLETED" });
    const errors = [
      {
        __typename: "ProcurementCaseCompletedError",
        message: `The procurement case \`${id}\` is completed and cannot be changed.`,
      },
    ];
    expect(await update({ id, state: "PRE" })).toEqual({ case: null, errors });
    expect(await update({ id, name: "" })).toEqual({ case: null, errors });
  });

  test("says that a case does not exist", async () => {
    const { update } = await start();
    const errors = [
      { __typename: "ProcurementCaseNotFoundError", message: "The procurement case `c1` does not exist." },
    ];
    expect(await update({ id: "c1", name: "n" })).toEqual({ case: null, errors });
  });

  const refusals: [string, object, string][] = [
    ["a blank name", { name: "" }, "`name` must not be blank."],
    ["no name", { name: null }, "`name` must not be blank."],
    ["no state", { state: null }, "`state` must not be null."],
    ["a deadline in the past", { deadline: "2026-03-14" }, "`deadline` must not lie in the past."],
    ["a negative price", { baselinePrice: -1 }, "`baselinePrice` must not be negative."],
  ];
  test.each(refusals)("refuses %s and changes nothing", async (_, change, message) => {
    const { createId, send, update } = await start();
    const id = await createId({ baselinePrice: 10 });
    const { status, data, errors } = await send(updateDocument, { input: { id, ...change } });
    expect(status).toBe(200);
    expect(data).toEqual({ updateProcurementCase: null });
    expect(errors).toEqual([
      expect.objectContaining({
        message,
        path: ["updateProcurementCase"],
        extensions: { code: "INVALID_INPUT", argument: "input" },
      }),
    ]);
    expect((await update({ id })).case).toMatchObject({ name: "Renew Figma", state: "PRE", savingAmount: 0 });
  });
});

describe("changeVendorsState", () => {
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
        `mutation ($input: ChangeVendorsStateInput!, $where: VendorDiscoveryFilterInput) {
          changeVendorsState(input: $input, where: $where) {
            updatedCount errors { __typename ... on Error { message } }
          }
        }`,
        { input: { state }, where },
      );
      return changeVendorsState;
    };
    const states = async (): Promise<Record<string, string>> => {
      const { applications } = await server.query<{
        applications: { nodes: { state: string; application: { name: string } }[] };
      }>("{ applications { nodes { state application { name } } } }");
      return Object.fromEntries(
        applications.nodes.map(({ application, state }) => [application.name, state]),
      );
    };
    return { ...server, change, states };
  }

  test("changes all applications of the vendors that match, and counts the vendors", async () => {
    const { change, states } = await startWithVendors();
    expect(await change("ARCHIVED", { vendor: { name: { startsWith: "A" } } })).toEqual({
      updatedCount: 1,
      errors: null,
    });
    expect(await states()).toEqual({
      Jira: "ARCHIVED",
      Trello: "ARCHIVED",
      Slack: "DISQUALIFIED",
      Miro: "DISCOVERED",
    });
  });

  test("changes every vendor without a filter, those too that only discovery knows", async () => {
    const { change, states } = await startWithVendors();
    expect(await change("SANCTIONED")).toEqual({ updatedCount: 3, errors: null });
    expect(new Set(Object.values(await states()))).toEqual(new Set(["SANCTIONED"]));
  });

  test("combines filters as queries do", async () => {
    const { change } = await startWithVendors();
    const where = { or: [{ vendor: { name: { eq: "Miro" } } }, { vendor: { name: { contains: "force" } } }] };
    expect(await change("IN_REVIEW", where)).toEqual({ updatedCount: 2, errors: null });
  });

  test("counts 0 where no vendor matches, and changes nothing", async () => {
    const { change, states } = await startWithVendors();
    const before = await states();
    expect(await change("ARCHIVED", { vendor: { name: { eq: "Nobody" } } })).toEqual({
      updatedCount: 0,
      errors: null,
    });
    expect(await states()).toEqual(before);
  });

  test("refuses DISCOVERED with a typed error, and changes nothing", async () => {
    const { change, states } = await startWithVendors();
    const before = await states();
    expect(await change("DISCOVERED")).toEqual({
      updatedCount: null,
      errors: [
        {
          __typename: "ChangeVendorsStateError",
          message: "DISCOVERED cannot be set: it is the state of what only discovery knows.",
        },
      ],
    });
    expect(await states()).toEqual(before);
  });

  test("refuses a filter of null inside where", async () => {
    const { send, states } = await startWithVendors();
    const before = await states();
    const { errors } = await send(
      "mutation { changeVendorsState(input: { state: ARCHIVED }, where: { vendor: null }) { updatedCount } }",
    );
    expect(errors?.[0]?.extensions).toEqual({ code: "HC0026", argument: "where.vendor" });
    expect(await states()).toEqual(before);
  });

  test("is seen by filters and orders of applications", async () => {
    const { change, query } = await startWithVendors();
    await change("ARCHIVED", { vendor: { name: { eq: "Salesforce" } } });
    const data = await query("{ applications(where: { state: { eq: ARCHIVED } }) { nodes { id } } }");
    expect(data).toEqual({ applications: { nodes: [{ id: "discovery:slack" }] } });
  });
});
