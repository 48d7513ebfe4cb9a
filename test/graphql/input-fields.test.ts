import {
  type GraphQLClient,
  GraphQLResponseError,
  InvalidInputError,
  isMutationError,
} from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { answer } from "../support/http-server.js";

const OK = answer({ data: { ok: true } });
type Method = "applications" | "licenses" | "licensePlans" | "createProcurementCase" | "changeVendorsState";

/** Calls a method as JavaScript can. */
const call = async (client: GraphQLClient, method: Method, ...args: readonly unknown[]) =>
  Reflect.apply(client[method], client, args);

test.each<[path: string, method: Method, ...args: unknown[]]>([
  ["where.state.activity.eq", "licenses", { where: { state: { activity: { eq: undefined } } } }],
  ["where.state.activity", "licenses", { where: { state: { activity: undefined } } }],
  ["where.or[1].id.in", "applications", { where: { or: [{}, { id: { in: undefined, eq: undefined } }] } }],
  [
    "where.vendor.name.eq",
    "changeVendorsState",
    { state: "ARCHIVED" },
    { vendor: { name: { eq: undefined } } },
  ],
])("rejects %s of %s before anything is sent if nothing is set beside it", async (path, method, ...args) => {
  const { client, server } = await connectClient(OK);
  const error = await rejection(call(client, method, ...args));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ issues: [{ path }] });
  expect(server.requests).toEqual([]);
});

test.each<[Method, ...unknown[]]>([
  ["licenses", { where: undefined, order: null }],
  ["licenses", { where: { state: undefined }, order: { id: undefined } }],
  ["licenses", { where: { state: { activity: { eq: "USED", neq: undefined } }, holder: null } }],
  ["applications", { where: { state: { eq: "A_STATE_OF_A_LATER_VERSION" }, and: { id: { in: ["a"] } } } }],
])("sends what the service may know better: %s %j", async (method, ...args) => {
  const { client } = await connectClient(OK);
  await expect(call(client, method, ...args)).resolves.toBeDefined();
});

test("does not check documents of the caller", async () => {
  const { client, server } = await connectClient(OK);
  await client.request("mutation Own($input: OwnInput) { own(input: $input) }", { input: { nam: 1 } });
  expect(server.requests[0]?.body.variables).toEqual({ input: { nam: 1 } });
});

/** A list whose filter and a mutation whose input the types allow. */
const listed = (client: GraphQLClient) =>
  client.licenses({ where: { or: [{ state: { activity: { eq: "USED" } } }] } }).firstPage();
const created = (client: GraphQLClient) => client.createProcurementCase({ name: "x", state: "PRE" });

test.each<[field: string | undefined, send: (client: GraphQLClient) => Promise<unknown>, entry: object]>([
  // graphql-js and Apollo Server
  [
    "where.or[0].state.activity.eq",
    listed,
    {
      message:
        'Variable "$where" got invalid value "USED" at "where.or[0].state.activity.eq"; Value "USED" does not exist in "LicenseActivity" enum.',
      extensions: { code: "BAD_USER_INPUT" },
    },
  ],
  [
    "order.name",
    (client) => client.licensePlans({ order: { name: "ASC" } }).firstPage(),
    {
      message:
        'Variable "$order" got invalid value "UP" at "order.name"; Value "UP" does not exist in "SortEnumType" enum.',
    },
  ],
  [
    "input.name",
    created,
    {
      message:
        'Variable "$input" got invalid value {}; Field "name" of required type "String!" was not provided.',
    },
  ],
  // Hot Chocolate, by version
  [
    "input",
    created,
    { message: "Variable `input` got an invalid value.", extensions: { variable: "input" } },
  ],
  ["input.state", created, { message: "The value is not valid.", extensions: { variable: "/input/state" } }],
  ["input.state", created, { message: "The value is not valid.", path: ["input", "state"] }],
  ["where.or[0].state", listed, { message: "m", extensions: { inputPath: ["where", "or", 0, "state"] } }],
  // the reference server
  [
    "where.or[0].state",
    listed,
    { message: "m", path: ["licenses"], extensions: { argument: "where.or.0.state" } },
  ],
  [
    "input.deadline",
    created,
    { message: "`deadline` must not be in the past.", extensions: { argument: "input" } },
  ],
  // nothing of the variables
  [undefined, listed, { message: "Field `id` failed: 'state'.", path: ["licenses", "nodes", 0, "state"] }],
  [undefined, created, { message: "The case could not be made: it doesn't say \"canary\", 'input.canary'." }],
  [undefined, created, { message: "", extensions: { argument: 5, inputPath: [["input"]], variable: null } }],
  [undefined, created, { message: "m", extensions: null, path: ["input".repeat(1e5), "state"] }],
])("names the field %s if the service finds a mistake", async (field, send, entry) => {
  const { client } = await connectClient(answer({ errors: [{ message: "other" }, entry] }, { status: 400 }));
  const error = await rejection(send(client));
  if (!(error instanceof GraphQLResponseError)) throw error;
  expect(error.errors.map((told) => told.field)).toEqual([undefined, field]);
  const known = {
    input: "fields: state, name, deadline, baselineType, baselinePrice",
    "input.state": "one of PRE, COMPLETED",
    "where.or[0].state": "fields: and, or, activity",
    "where.or[0].state.activity.eq": "one of UNUSED, USED",
    "order.name": "one of ASC, DESC",
  };
  const values: unknown = Reflect.get(known, field ?? "");
  const told = values === undefined ? "" : ` (${values})`;
  expect(error.message).toMatch(field === undefined ? /^(?!.*about)/ : `, about ${field}${told}. See`);
  expect(error.message).not.toContain("canary");
});

test("names the fields of typed errors", async () => {
  const errors = [
    { __typename: "ProcurementCaseCreationError", message: "`deadline` must not be in the past." },
    { __typename: "ProcurementCaseCreationError", message: "A case with this name exists." },
    {
      __typename: "ProcurementCaseCreationError",
      message: "'name' must not be blank.",
      extensions: null,
      path: [{ toString: 1 }],
    },
  ];
  const { client } = await connectClient(answer({ data: { createProcurementCase: { case: null, errors } } }));
  const error = await rejection(created(client));
  if (!isMutationError(error, "createProcurementCase")) throw error;
  expect(error.errors.map(({ field }) => field)).toEqual(["input.deadline", undefined, "input.name"]);
  expect(error.message).toBe(
    "The service refused createProcurementCase: ProcurementCaseCreationError, about input.deadline, input.name. See errors.",
  );
});
