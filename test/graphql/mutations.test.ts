import {
  GraphQLResponseError,
  isMutationError,
  MutationError,
  TransportError,
} from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { API_KEY, connectClient, everythingIn, rejection } from "../support/http-client.js";
import { answer, answerText } from "../support/http-server.js";
import { NEW_CASE } from "../support/records.js";

const CASE = { id: "c1", name: "Renewal", state: "PRE", savingAmount: null, savingPercentage: null };

/** Answers with the payload of a mutation. */
const payload = (mutation: string, value: unknown) => answer({ data: { [mutation]: value } });

test("sends its input and resolves with the result of the payload", async () => {
  const { client, server } = await connectClient(
    payload("createProcurementCase", { case: CASE, errors: null }),
  );
  const input = { ...NEW_CASE, deadline: "2026-12-31", baselinePrice: 1200.5 };
  expect(await client.createProcurementCase(input)).toEqual(CASE);
  expect(server.requests[0]?.body.variables).toEqual({ input });
  expect(server.requests[0]?.body.query).toContain("createProcurementCase(input: $input)");
});

test("accepts empty errors, and a state that this version does not know", async () => {
  const renegotiated = { ...CASE, state: "RENEGOTIATED" };
  const { client } = await connectClient(
    payload("updateProcurementCase", { case: renegotiated, errors: [] }),
  );
  expect(await client.updateProcurementCase({ id: "c1" })).toEqual(renegotiated);
});

test("rejects with the typed errors of the payload", async () => {
  const errors = [{ __typename: "ProcurementCaseNotFoundError", message: "no case c9" }];
  const { client, server } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
  const error = await rejection(client.updateProcurementCase({ id: "c9" }));
  expect(error).toBeInstanceOf(MutationError);
  expect(error).toMatchObject({
    mutation: "updateProcurementCase",
    errors,
    retryable: false,
    serverMessage: "no case c9",
  });
  expect(String(error)).not.toContain("no case c9");
  expect(server.requests).toHaveLength(1);
});

test("distinguishes the errors of one mutation from those of another", async () => {
  const errors = [{ __typename: "ProcurementCaseLockedError", message: "locked" }];
  const { client } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
  const error = await rejection(client.updateProcurementCase({ id: "c1" }));
  expect(isMutationError(error, "updateProcurementCase")).toBe(true);
  expect(isMutationError(error, "createProcurementCase")).toBe(false);
  expect(isMutationError(new Error("other"), "updateProcurementCase")).toBe(false);
});

test("redacts the API key wherever the server echoes it, even beside typed errors", async () => {
  const hidden = { hint: `with ${API_KEY}`, list: [1, { [API_KEY]: API_KEY }] };
  const errors = [
    { __typename: API_KEY, message: `key ${API_KEY}`, [API_KEY]: true, holder: API_KEY, hidden },
  ];
  const value = { case: CASE, errors };
  const { client } = await connectClient(payload("createProcurementCase", value));
  const error = await rejection(client.createProcurementCase(NEW_CASE));
  expect(everythingIn(error)).not.toContain(API_KEY);
  expect(error).toMatchObject({
    errors: [
      {
        message: "key [redacted]",
        "[redacted]": true,
        hidden: { hint: "with [redacted]", list: [1, { "[redacted]": "[redacted]" }] },
      },
    ],
  });
});

test("names five error types, and keeps 1,000 entries no matter how deep and large they are", async () => {
  const deep = `${'{"d":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const entries = Array.from({ length: 1001 }, (_, index) => `{"__typename":"Type${index}","message":"no"}`);
  const errors = `[{"deep":${deep}},${entries.join()}]`;
  const { client } = await connectClient(
    answerText(`{"data":{"createProcurementCase":{"case":null,"errors":${errors}}}}`),
  );
  const error = await rejection(client.createProcurementCase(NEW_CASE));
  expect(error).toMatchObject({ code: "MUTATION_REJECTED", errors: { length: 1000, 0: { message: "" } } });
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
])("says that the outcome is unknown if the payload is or has %s", async (_, value) => {
  const { client } = await connectClient(payload("createProcurementCase", value));
  const error = await rejection(client.createProcurementCase(NEW_CASE));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ retryable: false, message: expect.stringContaining("may or may not") });
});

test.each([-1, 2.5, 2 ** 60, "3", null, undefined])(
  "says that the outcome is unknown if updatedCount is %s",
  async (updatedCount) => {
    const { client } = await connectClient(payload("changeVendorsState", { updatedCount, errors: null }));
    const error = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, "all"));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain("may or may not");
  },
);

test("rejects with a GraphQLResponseError if the response has errors, and keeps the data", async () => {
  const data = { createProcurementCase: { case: CASE, errors: null } };
  const { client } = await connectClient(answer({ data, errors: [{ message: "m" }] }));
  const error = await rejection(client.createProcurementCase(NEW_CASE));
  expect(error).toBeInstanceOf(GraphQLResponseError);
  expect(error).toMatchObject({ data, retryable: false });
});
