import { expect, test } from "vitest";
import { Workspace } from "../../src/reference-server/workspace.js";
import { HandSynced, license, plan, post, startServer } from "./graphql-setup.js";

const query = "query { mine: applications { totalCount } }";
const notAuthorized = {
  errors: [
    {
      message: "The current user is not authorized to access this resource.",
      path: ["mine"],
      extensions: { code: "AUTH_NOT_AUTHORIZED" },
    },
  ],
  data: { mine: null },
};

async function ask(url: string, authorization?: string, accept?: string) {
  const init = post(query, authorization);
  const headers = accept === undefined ? init.headers : { ...init.headers, accept };
  const response = await fetch(url, { ...init, headers });
  const answer: unknown = await response.json();
  return { status: response.status, contentType: response.headers.get("content-type"), answer };
}

test.each([undefined, "", "smk_wrong", "Bearer KEY", "ApiKey KEY", "KEYx"])(
  "answers the authorization %j with AUTH_NOT_AUTHORIZED and status 200",
  async (authorization) => {
    const { url, key } = await startServer();
    expect(await ask(url, authorization?.replace("KEY", key))).toEqual({
      status: 200,
      contentType: "application/json; charset=utf-8",
      answer: notAuthorized,
    });
  },
);

test.each<[document: string, operationName: string | undefined, data: object | null]>([
  ["{ a: licenses { totalCount } applications { totalCount } }", undefined, { a: null, applications: null }],
  ["query A { a } mutation B { b { c } }", "B", { b: null }],
  ["{ ...All ... on Query { b } } fragment All on Query { a ...All }", undefined, { a: null, b: null }],
  ["{ a } fragment F on Query { b }", undefined, { a: null }],
  ["query A { a } query B { b }", undefined, null],
  ["{ a", undefined, null],
])(
  "answers %s without a key by returning null for each failed field",
  async (document, operationName, data) => {
    const { url } = await startServer();
    const body = JSON.stringify({ query: document, operationName });
    const response = await fetch(url, { ...post(document), body });
    const paths = data === null ? [undefined] : Object.keys(data).map((field) => [field]);
    expect(await response.json()).toEqual({
      errors: paths.map((path) => ({ ...notAuthorized.errors[0], path })),
      data,
    });
  },
);

test("answers a revoked key with 401 from the next request on, in the accepted media type", async () => {
  const { url, key, keys } = await startServer();
  expect(await ask(url, key)).toMatchObject({ status: 200, answer: { data: {} } });
  keys.revoke(key);
  const refused = { status: 401, answer: notAuthorized };
  expect(await ask(url, key)).toEqual({ ...refused, contentType: "application/json; charset=utf-8" });
  const accept = "application/graphql-response+json";
  expect(await ask(url, key, accept)).toEqual({ ...refused, contentType: `${accept}; charset=utf-8` });
});

test.each([
  ["createProcurementCase", 'createProcurementCase(input: { name: "n" }) { case { id } }'],
  ["updateProcurementCase", 'updateProcurementCase(input: { id: "c" }) { case { id } }'],
  ["changeVendorsState", "changeVendorsState(input: { state: ARCHIVED }) { updatedCount }"],
])("refuses %s to a read-only key and changes nothing", async (field, mutation) => {
  const { send, keys, workspace } = await startServer({ portfolio: { applications: [{ name: "Figma" }] } });
  const authorization = keys.create({ workspace, scope: "read", permissions: [] });
  const { status, data, errors } = await send(`mutation { ${mutation} }`, {}, { authorization });
  expect([status, data]).toEqual([200, { [field]: null }]);
  expect(errors).toMatchObject([{ path: [field], extensions: { code: "AUTH_NOT_AUTHORIZED" } }]);
  expect([workspace.procurementCases.size, workspace.vendorStates.size]).toEqual([0, 0]);
});

test("neither shows nor changes anything in another workspace", async () => {
  const { send, query: execute, keys, workspace } = await startServer();
  const portfolio = { applications: [{ name: "Figma", state: "SANCTIONED" }] } as const;
  const other = new Workspace("w2", portfolio);
  other.installations.push(
    new HandSynced("i2", "Slack").set({ plans: [plan("p", "Pro")], licenses: [license("l", "a", "p")] }),
  );
  const authorization = keys.create({ workspace: other, scope: "read-write", permissions: [] });
  const none = { totalCount: 0 };
  expect(
    await execute("{ applications { totalCount } licenses { totalCount } licensePlans { totalCount } }"),
  ).toEqual({ applications: none, licenses: none, licensePlans: none });
  const create = 'mutation { createProcurementCase(input: { name: "n" }) { case { id } } }';
  await send(create, {}, { authorization });
  const [id] = other.procurementCases.keys();
  const update =
    "mutation ($id: ID!) { updateProcurementCase(input: { id: $id }) { errors { __typename } } }";
  expect(await execute(update, { id })).toEqual({
    updateProcurementCase: { errors: [{ __typename: "ProcurementCaseNotFoundError" }] },
  });
  await execute("mutation { changeVendorsState(input: { state: ARCHIVED }) { updatedCount } }");
  expect([other.vendorStates.size, workspace.procurementCases.size]).toEqual([0, 0]);
});
