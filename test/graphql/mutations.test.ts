import {
  type GraphQLClient,
  GraphQLResponseError,
  InvalidInputError,
  isMutationError,
  MutationError,
  type MutationOptions,
  TransportError,
} from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { API_KEY, connectClient, everythingIn, passPause, rejection } from "../support/http-client.js";
import { json, type Responder } from "../support/http-server.js";

const CASE = { id: "c1", name: "Renewal", state: "PRE", savingAmount: null, savingPercentage: null };

/** Answers with the payload of a mutation. */
function payload(mutation: string, value: unknown): Responder {
  return (_, response) => json(response, { data: { [mutation]: value } });
}

describe("a mutation", () => {
  it("sends its input and resolves with the useful part of the payload", async () => {
    const { client, server } = await connectClient(
      payload("createProcurementCase", { case: CASE, errors: null }),
    );
    const input = { name: "Renewal", state: "PRE", deadline: "2026-12-31", baselinePrice: 1200.5 } as const;
    expect(await client.createProcurementCase(input)).toEqual(CASE);
    expect(server.requests[0]?.body.variables).toEqual({ input });
    expect(server.requests[0]?.body.query).toContain("createProcurementCase(input: $input)");
  });

  it("takes empty errors for success", async () => {
    const { client } = await connectClient(payload("updateProcurementCase", { case: CASE, errors: [] }));
    expect(await client.updateProcurementCase({ id: "c1", name: "Renewal" })).toEqual(CASE);
  });

  it.each<[string, unknown]>([
    ["errors that are a text", { case: CASE, errors: "\ud800" }],
    ["errors that are an object", { case: CASE, errors: { message: "x" } }],
    ["an error that is null", { case: CASE, errors: [null] }],
    ["an error that is a number", { case: CASE, errors: [5] }],
    ["nothing but a text", "x"],
    ["nothing but a list", [1]],
  ])("whose payload is %s is one of which nothing is known", async (_, value) => {
    const { client } = await connectClient(payload("updateProcurementCase", value));
    const error = await rejection(client.updateProcurementCase({ id: "c1" }));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).toContain("whether the change was made is not known");
  });

  it("has an error without a text, or a type, that is none", async () => {
    const errors = [{ __typename: { toString: 1 }, message: { toString: 1 } }];
    const { client } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
    const error = await rejection(client.updateProcurementCase({ id: "c1" }));
    expect(error).toBeInstanceOf(MutationError);
    expect(error).toMatchObject({ errors: [{ message: "" }] });
  });

  it("takes a state that this version does not know", async () => {
    const renegotiated = { ...CASE, state: "RENEGOTIATED" };
    const { client } = await connectClient(
      payload("updateProcurementCase", { case: renegotiated, errors: [] }),
    );
    const { state } = await client.updateProcurementCase({ id: "c1", state: "RENEGOTIATED" });
    expect(state).toBe("RENEGOTIATED");
  });

  it("rejects with a MutationError where the payload has errors, and keeps the rest of it", async () => {
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
    expect(String(error)).toContain("ProcurementCaseNotFoundError");
    expect(String(error)).not.toContain("no case c9");
    expect(server.requests).toHaveLength(1);
  });

  it("rejects beside a result too: a payload does not prove success", async () => {
    const errors = [{ __typename: "ChangeVendorsStateError", message: "half of them" }];
    const { client } = await connectClient(payload("changeVendorsState", { updatedCount: 3, errors }));
    const error = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, "all"));
    expect(error).toMatchObject({ code: "MUTATION_REJECTED", payload: { updatedCount: 3 } });
  });

  it("has errors that can be told apart, those that are not known yet too", async () => {
    const errors = [
      { __typename: "ProcurementCaseLockedError", message: "locked" },
      { __typename: "ProcurementCaseCompletedError", message: "completed" },
    ];
    const { client } = await connectClient(payload("updateProcurementCase", { case: null, errors }));
    const error = await rejection(client.updateProcurementCase({ id: "c1" }));
    expect(isMutationError(error, "createProcurementCase")).toBe(false);
    expect(isMutationError(new Error("other"), "updateProcurementCase")).toBe(false);
    if (!isMutationError(error, "updateProcurementCase")) throw new Error("not narrowed");
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
    expect(error.payload.case).toBeNull();
  });

  it("never shows the API key, should the server send it as the type of an error", async () => {
    const apiKey = "canary_key_0123456789";
    const errors = [{ __typename: apiKey, message: "no" }];
    const respond = payload("createProcurementCase", { case: null, errors });
    const { client } = await connectClient(respond, { apiKey });
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    expect(everythingIn(error)).not.toContain(apiKey);
    const outcome = await client.safe.createProcurementCase({ name: "Renewal" });
    expect(JSON.stringify(outcome)).not.toContain(apiKey);
  });

  it("never shows the API key, should the server hide it in further fields or in the rest of the payload", async () => {
    const apiKey = "canary_key_0123456789";
    const hidden = { hint: `with ${apiKey}`, list: [1, { [apiKey]: apiKey }] };
    const errors = [{ __typename: "LockedError", message: "no", [apiKey]: true, holder: apiKey, hidden }];
    const respond = payload("createProcurementCase", {
      case: { ...CASE, name: apiKey },
      note: apiKey,
      errors,
    });
    const { client } = await connectClient(respond, { apiKey });
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    expect(everythingIn(error)).not.toContain(apiKey);
    const struckOut = { hint: "with [redacted]", list: [1, { "[redacted]": "[redacted]" }] };
    expect(error).toMatchObject({
      errors: [{ "[redacted]": true, holder: "[redacted]", hidden: struckOut }],
      payload: { case: { ...CASE, name: "[redacted]" } },
    });
    const outcome = await client.safe.createProcurementCase({ name: "Renewal" });
    expect(JSON.stringify(outcome)).not.toContain(apiKey);
    expect(outcome).toMatchObject({ ok: false, errors: [{ message: "no" }] });
  });

  it("keeps what its errors hold down to a depth and up to a number, and their types and texts beyond it", async () => {
    const entry = '{"__typename":"LockedError","message":"no","last":1';
    const deep = `${'{"d":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const wide = `[${"1,".repeat(200_000)}1]`;
    const errors = `[${entry},"deep":${deep},"wide":${wide}},${entry}}]`;
    const body = `{"data":{"createProcurementCase":{"case":${JSON.stringify(CASE)},"errors":${errors}}}}`;
    const { client } = await connectClient((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(body),
    );
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    if (!isMutationError(error, "createProcurementCase")) throw error;
    expect(error.errors.map((told) => JSON.stringify(told).length < 200_000)).toEqual([true, true]);
    expect(error).toMatchObject({
      errors: [{ last: 1 }, { __typename: "LockedError", message: "no" }],
      payload: { case: CASE },
    });
  });

  it("names five types of its errors, and keeps 1,000 entries", async () => {
    const errors = Array.from({ length: 1001 }, (_, index) => ({
      __typename: `Type${index}`,
      message: "no",
    }));
    const { client } = await connectClient(payload("createProcurementCase", { case: null, errors }));
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    expect(String(error)).toContain(": Type0, Type1, Type2, Type3, Type4. See");
    expect(error).toMatchObject({ errors: { length: 1000 } });
  });

  it.each([
    ["no payload", null],
    ["neither a case nor errors", { case: null, errors: null }],
    ["an empty payload", {}],
    ["no case and no errors in a list", { errors: [] }],
    ["no case and null for errors", { errors: null }],
    ["a text for a case", { case: "c1" }],
    ["a list for a case", { case: [CASE] }],
  ])("that is answered with %s says that its fate is not known", async (_, value) => {
    const { client } = await connectClient(payload("createProcurementCase", value));
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ retryable: false });
    expect(String(error)).toContain("not known");
  });

  it("with entries in the response's errors is a GraphQLResponseError that keeps the data", async () => {
    const data = { createProcurementCase: { case: CASE, errors: null } };
    const { client } = await connectClient((_, response) =>
      json(response, { data, errors: [{ message: "m" }] }),
    );
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    expect(error).toBeInstanceOf(GraphQLResponseError);
    expect(error).toMatchObject({ data, retryable: false });
  });

  it("never shows the API key, should the server echo it", async () => {
    const errors = [{ __typename: "ProcurementCaseCreationError", message: `key ${API_KEY}` }];
    const { client } = await connectClient(payload("createProcurementCase", { case: null, errors }));
    const error = await rejection(client.createProcurementCase({ name: "Renewal" }));
    expect(everythingIn(error)).not.toContain(API_KEY);
  });

  it.each([
    [
      "createProcurementCase",
      (client: GraphQLClient, options?: MutationOptions) =>
        client.createProcurementCase({ name: "Renewal" }, options),
    ],
    [
      "updateProcurementCase",
      (client: GraphQLClient, options?: MutationOptions) =>
        client.updateProcurementCase({ id: "c1" }, options),
    ],
    [
      "safe.updateProcurementCase",
      async (client: GraphQLClient, options?: MutationOptions) => {
        const outcome = await client.safe.updateProcurementCase({ id: "c1" }, options);
        return outcome.ok ? outcome.value : undefined;
      },
    ],
  ] as const)(
    "%s is sent again after a transient failure only where the call says that it is idempotent",
    async (_, call) => {
      const result = { case: CASE, errors: null };
      const { client, server, clock } = await connectClient((_request, response, index) =>
        index < 2
          ? json(response, {}, { status: 503 })
          : json(response, { data: { createProcurementCase: result, updateProcurementCase: result } }),
      );
      const error = await rejection(call(client));
      expect(error).toMatchObject({ code: "TRANSPORT_FAILED", attempts: 1, retryable: false });
      expect(server.requests).toHaveLength(1);
      const repeated = call(client, { idempotent: true });
      await passPause(clock);
      expect(await repeated).toEqual(CASE);
      expect(server.requests).toHaveLength(3);
      expect(server.requests[2]?.body).toEqual(server.requests[1]?.body);
    },
  );
});

describe("safe", () => {
  it("resolves with the value", async () => {
    const { client } = await connectClient(payload("createProcurementCase", { case: CASE, errors: null }));
    expect(await client.safe.createProcurementCase({ name: "Renewal" })).toEqual({ ok: true, value: CASE });
  });

  it("resolves with the errors of the payload", async () => {
    const errors = [{ __typename: "ProcurementCaseCompletedError", message: "completed" }];
    const { client } = await connectClient(payload("updateProcurementCase", { case: CASE, errors }));
    const outcome = await client.safe.updateProcurementCase({ id: "c1" });
    expect(outcome).toEqual({ ok: false, errors, payload: { case: CASE } });
  });

  it("still rejects where the request itself failed", async () => {
    const { client } = await connectClient((_, response) => json(response, {}, { status: 500 }));
    const change = client.safe.changeVendorsState({ state: "ARCHIVED" }, "all");
    expect(await rejection(change)).toBeInstanceOf(TransportError);
  });
});

describe("a filter of vendors that is nested deeply", () => {
  it("is refused, and breaks no stack", async () => {
    const { client, server } = await connectClient(() => {});
    let where: object = { vendor: { name: { eq: "Acme" } } };
    for (let level = 0; level < 1_500; level++) where = { and: [where] };
    const error = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, where));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });
});

describe("changeVendorsState", () => {
  const done = payload("changeVendorsState", { updatedCount: 2, errors: null });
  const state = { state: "SANCTIONED" } as const;

  it("changes the vendors that match the filter, and says how many", async () => {
    const { client, server } = await connectClient(done);
    const where = { vendor: { name: { startsWith: "Ac", eq: null, in: ["Acme", null] } } };
    expect(await client.changeVendorsState(state, where)).toEqual({ updatedCount: 2 });
    expect(server.requests[0]?.body.variables).toEqual({ input: state, where });
  });

  it.each([-1, 2.5, 2 ** 60, "3", null, undefined])(
    "that is answered with a count of %s says that its fate is not known",
    async (updatedCount) => {
      const { client } = await connectClient(payload("changeVendorsState", { updatedCount, errors: null }));
      const error = await rejection(client.changeVendorsState({ state: "SANCTIONED" }, "all"));
      expect(error).toBeInstanceOf(TransportError);
      expect(String(error)).toContain("whether the change was made is not known");
    },
  );

  it("changes every vendor only where that is said aloud", async () => {
    const { client, server } = await connectClient(done);
    await client.changeVendorsState(state, "all");
    expect(server.requests[0]?.body.variables).toEqual({ input: state });
  });

  it("takes a filter of which something is left beside what is undefined", async () => {
    const { client, server } = await connectClient(done);
    await client.changeVendorsState(state, {
      vendor: { name: { eq: "Acme", contains: undefined } },
      or: undefined,
    });
    expect(server.requests[0]?.body.variables).toMatchObject({ where: { vendor: { name: { eq: "Acme" } } } });
  });

  const named = { vendor: { name: { eq: "Acme" } } };
  it.each<[string, object]>([
    ["where", {}],
    ["where", { vendor: undefined }],
    ["where.vendor", { vendor: {} }],
    ["where.vendor.name", { vendor: { name: {} } }],
    ["where.vendor.name", { vendor: { name: { eq: undefined } } }],
    ["where.vendor.name", { vendor: { name: { eq: undefined, startsWith: undefined } } }],
    ["where.vendor", { vendor: null }],
    ["where.vendor.name", { vendor: { name: null } }],
    ["where.and", { and: [] }],
    ["where.or", { or: [] }],
    ["where.or[1]", { or: [named, {}] }],
    ["where.and[0].vendor.name", { and: [{ vendor: { name: { contains: undefined } } }, named] }],
    ["where.or[0]", { or: [null, named] }],
    ["where.vendor.or[0].name", { vendor: { or: [{ name: { eq: undefined } }] } }],
    ["where.vendor.name.in", { vendor: { name: { in: [] } } }],
    ["where.vendor.name.nin", { vendor: { name: { nin: [] } } }],
    ["where.vendor.name.startsWith", { vendor: { name: { startsWith: "" } } }],
    ["where.vendor.name.contains", { vendor: { name: { contains: "" } } }],
    ["where.vendor.name.endsWith", { vendor: { name: { endsWith: "" } } }],
    ["where.vendor.name.contains", { vendor: { name: { contains: null } } }],
    ["where.vendor.name.nin[0]", { vendor: { name: { nin: [undefined] } } }],
    ["where.vendor.name.nin[1]", { vendor: { name: { nin: ["Acme", undefined] } } }],
    ["where.vendor.name.in[0]", { vendor: { name: { in: [Symbol("Acme")] } } }],
    ["where.or[1]", { or: [named, () => named] }],
    ["where.vendor.name.nin", { vendor: { name: { nin: ["", ""] } } }],
    ["where.vendor.name.nin", { vendor: { name: { nin: [null] } } }],
    ["where.vendor.name.nin", { vendor: { name: { nin: ["", null] } } }],
    ["where.vendor.name.neq", { vendor: { name: { neq: null } } }],
    ["where.vendor.name.neq", { vendor: { name: { neq: "" } } }],
    ["where.vendor.name", { vendor: { name: new Map([["eq", "Acme"]]) } }],
    ["where.vendor.name.in", { vendor: { name: { in: new Set(["Acme"]) } } }],
    ["where", new Map([["vendor", "Acme"]])],
    ["where", []],
  ])("refuses a filter that is empty at %s: %j", async (path, where) => {
    const { client, server } = await connectClient(done);
    const error = await rejection(client.changeVendorsState(state, where));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ issues: [{ path }] });
    expect(server.requests).toHaveLength(0);
  });

  it.each([undefined, null, "", "ALL"])("refuses %j in place of a filter", async (where) => {
    const { client, server } = await connectClient(done);
    // @ts-expect-error the types refuse it too
    expect(await rejection(client.changeVendorsState(state, where))).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });
});
