import {
  type GraphQLClient,
  GraphQLResponseError,
  isMutationError,
  MutationError,
  type MutationOptions,
  TransportError,
} from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY, connectClient, everythingIn, passPause, rejection } from "../support/http-client.js";
import { answer, answerText, json } from "../support/http-server.js";

const CASE = { id: "c1", name: "Renewal", state: "PRE", savingAmount: null, savingPercentage: null };

/** Answers with the payload of a mutation. */
const payload = (mutation: string, value: unknown) => answer({ data: { [mutation]: value } });

test("sends its input and resolves with the result of the payload", async () => {
  const { client, server } = await connectClient(
    payload("createProcurementCase", { case: CASE, errors: null }),
  );
  const input = { name: "Renewal", state: "PRE", deadline: "2026-12-31", baselinePrice: 1200.5 } as const;
  expect(await client.createProcurementCase(input)).toEqual(CASE);
  expect(await client.safe.createProcurementCase(input)).toEqual({ ok: true, value: CASE });
  expect(server.requests[0]?.body.variables).toEqual({ input });
  expect(server.requests[0]?.body.query).toContain("createProcurementCase(input: $input)");
});

test("sends the input as it was at the call", async () => {
  const { client, server } = await connectClient(payload("createProcurementCase", { case: CASE }));
  const input = { name: "" };
  const names = ["Slack renewal", "Zoom renewal", "Figma renewal"];
  await Promise.all(
    names.map((name) => {
      input.name = name;
      return client.createProcurementCase(input);
    }),
  );
  const sent = server.requests.map(({ body }) => body.variables);
  for (const name of names) expect(sent).toContainEqual({ input: { name } });
});

test("accepts empty errors, and a state that this version does not know", async () => {
  const renegotiated = { ...CASE, state: "RENEGOTIATED" };
  const { client } = await connectClient(
    payload("updateProcurementCase", { case: renegotiated, errors: [] }),
  );
  expect(await client.updateProcurementCase({ id: "c1", state: "RENEGOTIATED" })).toEqual(renegotiated);
});

test("rejects with the typed errors and the rest of the payload, or resolves with them", async () => {
  const errors = [{ __typename: "ProcurementCaseNotFoundError", message: "no case c9" }];
  const { client, server } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
  const error = await rejection(client.updateProcurementCase({ id: "c9" }));
  expect(error).toBeInstanceOf(MutationError);
  expect(error).toMatchObject({
    mutation: "updateProcurementCase",
    errors,
    payload: { case: null },
    retryable: false,
    serverMessage: "no case c9",
  });
  expect(String(error)).not.toContain("no case c9");
  expect(server.requests).toHaveLength(1);
  const outcome = await client.safe.updateProcurementCase({ id: "c9" });
  expect(outcome).toEqual({ ok: false, errors, payload: { case: null } });
});

test("rejects typed errors also beside a result", async () => {
  const errors = [{ __typename: "ChangeVendorsStateError", message: "half of them" }];
  const { client } = await connectClient(payload("changeVendorsState", { updatedCount: 3, errors }));
  const error = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, "all"));
  expect(error).toMatchObject({ code: "MUTATION_REJECTED", payload: { updatedCount: 3 } });
});

test("narrows the errors of a mutation, with a branch for unknown ones", async () => {
  const errors = [
    { __typename: "ProcurementCaseLockedError", message: "locked" },
    { __typename: "ProcurementCaseCompletedError", message: "completed" },
  ];
  const { client } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
  const error = await rejection(client.updateProcurementCase({ id: "c1" }));
  expect(isMutationError(error, "createProcurementCase")).toBe(false);
  expect(isMutationError(new Error("other"), "updateProcurementCase")).toBe(false);
  if (!isMutationError(error, "updateProcurementCase")) throw error;
  const told = error.errors.map((entry) => {
    switch (entry.__typename) {
      case "ProcurementCaseCompletedError":
      case "ProcurementCaseNotFoundError":
        return entry.message;
      default:
        return `new: ${entry.__typename}`;
    }
  });
  expect(told).toEqual(["new: ProcurementCaseLockedError", "completed"]);
  expect(error.payload).toEqual({ case: null });
});

test("redacts the API key wherever the server echoes it beside typed errors", async () => {
  const hidden = { hint: `with ${API_KEY}`, list: [1, { [API_KEY]: API_KEY }] };
  const errors = [
    { __typename: API_KEY, message: `key ${API_KEY}`, [API_KEY]: true, holder: API_KEY, hidden },
  ];
  const value = { case: { ...CASE, name: API_KEY }, note: API_KEY, errors };
  const { client } = await connectClient(payload("createProcurementCase", value));
  const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
  expect(everythingIn(error)).not.toContain(API_KEY);
  expect(error).toMatchObject({
    errors: [
      {
        message: "key [redacted]",
        "[redacted]": true,
        hidden: { hint: "with [redacted]", list: [1, { "[redacted]": "[redacted]" }] },
      },
    ],
    payload: { case: { ...CASE, name: "[redacted]" }, note: "[redacted]" },
  });
  const outcome = await client.safe.createProcurementCase({ name: "Renewal" });
  expect(JSON.stringify(outcome)).not.toContain(API_KEY);
});

test("names five types of its errors, and keeps 1,000 entries however deep and large they are", async () => {
  const deep = `${'{"d":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const entries = Array.from({ length: 1001 }, (_, index) => `{"__typename":"Type${index}","message":"no"}`);
  const errors = `[${entries.join()},{"deep":${deep}}]`;
  const { client } = await connectClient(
    answerText(`{"data":{"createProcurementCase":{"case":null,"errors":${errors}}}}`),
  );
  const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
  expect(error).toMatchObject({ code: "MUTATION_REJECTED", errors: { length: 1000 } });
  expect(String(error)).toContain(": Type0, Type1, Type2, Type3, Type4. See");
});

test.each([
  ["null", null],
  ["a string", "x"],
  ["a list", [1]],
  ["an empty object", {}],
  ["a case of null and errors of null", { case: null, errors: null }],
  ["errors without entries", { errors: [] }],
  ["a string for a case", { case: "c1" }],
  ["a list for a case", { case: [CASE] }],
  ["a string for errors", { case: CASE, errors: "\ud800" }],
  ["an object for errors", { case: CASE, errors: { message: "x" } }],
  ["null as an error", { case: CASE, errors: [null] }],
])("says that the outcome is not known if the payload is or has %s", async (_, value) => {
  const { client } = await connectClient(payload("createProcurementCase", value));
  const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ retryable: false, message: expect.stringContaining("not known") });
});

test.each([-1, 2.5, 2 ** 60, "3", null, undefined])(
  "says that the outcome is not known if updatedCount is %s",
  async (updatedCount) => {
    const { client } = await connectClient(payload("changeVendorsState", { updatedCount, errors: null }));
    const error = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, "all"));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain("not known");
  },
);

test("replaces a message that is not a string by an empty one", async () => {
  const errors = [{ __typename: { toString: 1 }, message: { toString: 1 } }];
  const { client } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
  const error = await rejection(client.updateProcurementCase({ id: "c1" }));
  expect(error).toMatchObject({ code: "MUTATION_REJECTED", errors: [{ message: "" }] });
});

test("rejects with a GraphQLResponseError if the response has errors, and keeps the data", async () => {
  const data = { createProcurementCase: { case: CASE, errors: null } };
  const { client } = await connectClient(answer({ data, errors: [{ message: "m" }] }));
  for (const call of [client.createProcurementCase, client.safe.createProcurementCase]) {
    const owner = call === client.createProcurementCase ? client : client.safe;
    const error = await rejection(Reflect.apply(call, owner, [{ name: "Renewal" }]));
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ data, retryable: false });
  }
});

const update = (client: GraphQLClient, options?: MutationOptions) =>
  client.updateProcurementCase({ id: "c1" }, options);
const safeUpdate = async (client: GraphQLClient, options?: MutationOptions) => {
  const outcome = await client.safe.updateProcurementCase({ id: "c1" }, options);
  return outcome.ok ? outcome.value : undefined;
};

test.each([
  ["updateProcurementCase", update],
  ["safe.updateProcurementCase", safeUpdate],
])("repeats %s after a transient failure only if the call says that it is idempotent", async (_, call) => {
  const { client, server, clock } = await connectClient((_request, response, index) =>
    json(response, { data: { updateProcurementCase: { case: CASE } } }, { status: index < 2 ? 503 : 200 }),
  );
  const error = await rejection(call(client));
  expect(error).toMatchObject({ code: "TRANSPORT_FAILED", attempts: 1, retryable: false });
  const repeated = call(client, { idempotent: true });
  await passPause(clock);
  expect(await repeated).toEqual(CASE);
  expect(server.requests).toHaveLength(3);
  expect(server.requests[2]?.body).toEqual(server.requests[1]?.body);
});
