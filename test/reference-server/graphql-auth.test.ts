import { describe, expect, test } from "vitest";
import { Workspace } from "../../src/reference-server/workspace.js";
import { HandSynced, license, plan, startServer } from "./graphql-setup.js";

const query = "query { mine: applications { totalCount } }";
const notAuthorized = {
  errors: [
    {
      message: "The current user is not authorized to access this resource.",
      path: ["mine"],
      extensions: { code: "AUTH_NOT_AUTHORIZED" },
    },
  ],
  data: null,
};

async function post(url: string, headers: Record<string, string>, body = JSON.stringify({ query })) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const answer: unknown = await response.json();
  return { status: response.status, contentType: response.headers.get("content-type"), answer };
}

describe("answers AUTH_NOT_AUTHORIZED with status 200", () => {
  test("without a key", async () => {
    const { url } = await startServer();
    expect(await post(url, {})).toEqual({
      status: 200,
      contentType: "application/json; charset=utf-8",
      answer: notAuthorized,
    });
  });

  test("to a key that is not known, and to one with a prefix", async () => {
    const { url, key } = await startServer();
    for (const authorization of ["", "smk_wrong", `Bearer ${key}`, `ApiKey ${key}`, `${key}x`]) {
      expect(await post(url, { authorization })).toMatchObject({ status: 200, answer: notAuthorized });
    }
  });

  test("before it says anything of the schema or the document", async () => {
    const { url } = await startServer();
    for (const document of ["{ nonsense }", "{", "{ __schema { types { name } } }"]) {
      const { status, answer } = await post(url, {}, JSON.stringify({ query: document }));
      expect(status).toBe(200);
      expect(answer).toMatchObject({ errors: [{ extensions: { code: "AUTH_NOT_AUTHORIZED" } }], data: null });
    }
  });
});

describe("a revoked key", () => {
  test("is answered with 401 and the same body, from the next request on", async () => {
    const { url, key, keys } = await startServer();
    expect(await post(url, { authorization: key })).toMatchObject({ status: 200, answer: { data: {} } });
    keys.revoke(key);
    expect(await post(url, { authorization: key })).toEqual({
      status: 401,
      contentType: "application/json; charset=utf-8",
      answer: notAuthorized,
    });
  });

  test("is answered in the media type that was asked for", async () => {
    const { url, key, keys } = await startServer();
    keys.revoke(key);
    const { contentType } = await post(url, {
      authorization: key,
      accept: "application/graphql-response+json",
    });
    expect(contentType).toBe("application/graphql-response+json; charset=utf-8");
  });
});

describe("a key that may only read", () => {
  const mutations = {
    createProcurementCase: 'createProcurementCase(input: { name: "n" }) { case { id } }',
    updateProcurementCase: 'updateProcurementCase(input: { id: "c" }) { case { id } }',
    changeVendorsState: "changeVendorsState(input: { state: ARCHIVED }) { updatedCount }",
  };

  test("reads", async () => {
    const { url, keys, workspace } = await startServer();
    const authorization = keys.create({ workspace, scope: "read", permissions: [] });
    expect(await post(url, { authorization })).toMatchObject({
      status: 200,
      answer: { data: { mine: { totalCount: 0 } } },
    });
  });

  test.each(Object.entries(mutations))(
    "is refused the field %s, and changes nothing",
    async (field, mutation) => {
      const { send, keys, workspace } = await startServer({
        portfolio: { applications: [{ name: "Figma" }] },
      });
      const authorization = keys.create({ workspace, scope: "read", permissions: [] });
      const { status, data, errors } = await send(`mutation { ${mutation} }`, {}, { authorization });
      expect(status).toBe(200);
      expect(data).toEqual({ [field]: null });
      expect(errors).toEqual([
        expect.objectContaining({ path: [field], extensions: { code: "AUTH_NOT_AUTHORIZED" } }),
      ]);
      expect(workspace.procurementCases.size).toBe(0);
      expect(workspace.vendorStates.size).toBe(0);
    },
  );
});

test("shows and changes nothing of another workspace", async () => {
  const { send, query: ask, keys, key, workspace } = await startServer();
  const other = new Workspace({
    id: "w2",
    name: "Other",
    portfolio: { applications: [{ name: "Figma", state: "SANCTIONED" }] },
  });
  other.installations.push(
    new HandSynced("i2", "Slack").set({ plans: [plan("p", "Pro")], licenses: [license("l", "a", "p")] }),
  );
  const otherKey = keys.create({ workspace: other, scope: "read-write", permissions: [] });
  const counts = "{ applications { totalCount } licenses { totalCount } licensePlans { totalCount } }";
  const none = { totalCount: 0 };
  expect(await ask(counts)).toEqual({ applications: none, licenses: none, licensePlans: none });
  const create = 'mutation { createProcurementCase(input: { name: "n" }) { case { id } } }';
  const created = await send<{ createProcurementCase: { case: { id: string } } }>(
    create,
    {},
    { authorization: otherKey },
  );
  const { id } = created.data.createProcurementCase.case;
  const update = `mutation ($id: ID!) { updateProcurementCase(input: { id: $id }) { errors { __typename } } }`;
  expect((await send(update, { id }, { authorization: key })).data).toEqual({
    updateProcurementCase: { errors: [{ __typename: "ProcurementCaseNotFoundError" }] },
  });
  await ask("mutation { changeVendorsState(input: { state: ARCHIVED }) { updatedCount } }");
  expect(other.vendorStates.size).toBe(0);
  expect(workspace.procurementCases.size).toBe(0);
});
