import type { DocumentTypeDecoration, TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type Document, InvalidInputError } from "@saas-management/sdk/graphql";
import { parse } from "graphql";
import { expect, expectTypeOf, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { nodeIds, pageOf } from "../support/http-pages.js";
import { answer, json, type Responder } from "../support/http-server.js";

/** The class that graphql-codegen writes with `documentMode: "string"`. */
class TypedDocumentString<Result, Variables>
  extends String
  implements DocumentTypeDecoration<Result, Variables>
{
  declare readonly __apiType?: NonNullable<DocumentTypeDecoration<Result, Variables>["__apiType"]>;
}

interface Team {
  readonly team: { readonly name: string };
}

const TEXT = "query Team($id: ID!) { team(id: $id) { name } }";
const node: TypedDocumentNode<Team, { readonly id: string }> = parse(TEXT);
const string = new TypedDocumentString<Team, { readonly id: string }>(TEXT);

const answerTeam = answer({ data: { team: { name: "IT" } } });

test("sends a TypedDocumentNode, a TypedDocumentString and a string, with their types", async () => {
  const { client, server } = await connectClient(answerTeam);
  expectTypeOf(await client.request(node, { id: "t1" })).toEqualTypeOf<Team>();
  expectTypeOf(await client.request(string, { id: "t1" })).toEqualTypeOf<Team>();
  expectTypeOf(await client.request(TEXT, { id: "t1" })).toEqualTypeOf<unknown>();
  expectTypeOf(await client.request<Team>(TEXT, { id: "t1" })).toEqualTypeOf<Team>();
  const text: Document<Team, { readonly id: string }> = TEXT;
  expectTypeOf(await client.request(text, { id: "t1" })).toEqualTypeOf<Team>();
  expect(await client.request(string, { id: "t1" })).toEqual({ team: { name: "IT" } });
  for (const { body } of server.requests) {
    expect(body.query.replaceAll(/\s+/g, " ")).toBe(TEXT);
    expect(body.variables).toEqual({ id: "t1" });
  }
});

test.each<[string, string | object]>([
  ["an empty string", " "],
  ["an object of another kind", {}],
  ["a broken DocumentNode", { kind: "Document", definitions: [{ kind: "OperationDefinition" }] }],
  ["no operation", "fragment F on Query { a }"],
  ["two operations", "query A { a } query B { b }"],
])("rejects a document that is or has %s, and sends nothing", async (_, document) => {
  const { client, server } = await connectClient(answerTeam);
  expect(await rejection(Reflect.apply(client.request, client, [document]))).toBeInstanceOf(
    InvalidInputError,
  );
  expect(server.requests).toHaveLength(0);
});

interface Department {
  readonly org: {
    readonly members: {
      readonly nodes: readonly { readonly id: string }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  } | null;
}

interface DepartmentVariables {
  readonly org: string;
  readonly size?: number | null | undefined;
  readonly from?: string | null | undefined;
}

const MEMBERS = new TypedDocumentString<Department, DepartmentVariables>(
  `query Members($org: ID!, $size: Int, $from: String) {
    org(id: $org) { members(first: $size, after: $from) { nodes { id } pageInfo { hasNextPage endCursor } } }
  }`,
);

/** How to page {@link MEMBERS}: where its connection is, and what its paging variables are called. */
const PAGED = {
  select: (data: Department) => data.org?.members,
  variableNames: { first: "size", after: "from" },
} as const;

/** A nested collection of five nodes, paged by `size` and `from`. */
const answerMembers: Responder = (request, response) => {
  const { size, from } = request.body.variables;
  const page = pageOf(5, { ...request, body: { query: "", variables: { first: size, after: from } } });
  const { hasNextPage, endCursor } = page.pageInfo;
  json(response, { data: { org: { members: { nodes: page.nodes, pageInfo: { hasNextPage, endCursor } } } } });
};

/** A collection of three nodes, paged like the SDK's own connections. */
const answerAll: Responder = (request, response) => json(response, { data: { all: pageOf(3, request) } });
const selectAll = (data: { readonly all: ReturnType<typeof pageOf> }) => data.all;

test("pages through a nested connection with the named variables", async () => {
  const { client, server } = await connectClient(answerMembers);
  const nodes = await client.paginate(MEMBERS, { org: "o1" }, { ...PAGED, pageSize: 2 }).toArray();
  expectTypeOf(nodes).toEqualTypeOf<{ readonly id: string }[]>();
  expect(nodes).toEqual(nodeIds(0, 5));
  expect(server.requests.map(({ body }) => body.variables)).toEqual([
    { org: "o1", size: 2 },
    { org: "o1", size: 2, from: "c1" },
    { org: "o1", size: 2, from: "c3" },
  ]);
});

test("uses $after and $first by default, and pages backward with $before and $last", async () => {
  const { client, server } = await connectClient(answerAll);
  const page = "{ nodes { id } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } }";
  const forward = `query($first: Int, $after: String) { all(first: $first, after: $after) ${page} }`;
  expect(await client.paginate(forward, {}, { select: selectAll }).toArray()).toEqual(nodeIds(0, 3));
  const backward = `query($last: Int, $before: String) { all(last: $last, before: $before) ${page} }`;
  const options = { select: selectAll, from: "end", pageSize: 2 } as const;
  expect(await client.paginate(backward, {}, options).toArray()).toEqual(nodeIds(0, 3).reverse());
  expect(server.requests.map(({ body }) => body.variables)).toEqual([
    { first: 100 },
    { last: 2 },
    { last: 2, before: "c1" },
  ]);
});

test("sends no page size if the document does not declare a variable for it", async () => {
  const { client, server } = await connectClient(answerAll);
  const document = "query($after: String) { all(after: $after) { nodes { id } } }";
  await client.paginate(document, {}, { select: selectAll }).toArray();
  expect(server.requests[0]?.body.variables).toEqual({});
});

test.each<[string, string, object]>([
  ["declares no variable for the cursor", "query($first: Int) { all(first: $first) { nodes { id } } }", {}],
  ["is a mutation", "mutation($after: String) { all(after: $after) { nodes { id } } }", {}],
  ["has no variable for a given page size", "query($after: String) { a(after: $after) }", { pageSize: 30 }],
  ["lacks a variable", "query($after: String) { a(after: $after) }", { variableNames: { first: "sise" } }],
])("rejects a document that %s, and sends nothing", async (_, document, options) => {
  const { client, server } = await connectClient(answerAll);
  const connection = client.paginate(document, {}, { select: () => undefined, ...options });
  expect(await rejection(connection.toArray())).toBeInstanceOf(InvalidInputError);
  expect(server.requests).toHaveLength(0);
});

test("rejects a page size or a cursor that is set twice", async () => {
  const { client } = await connectClient(answerMembers);
  expect(() => client.paginate(MEMBERS, { org: "o", size: 2 }, { ...PAGED, pageSize: 2 })).toThrow(
    InvalidInputError,
  );
  expect(() => client.paginate(MEMBERS, { org: "o", from: "c0" }, { ...PAGED, cursor: "c1" })).toThrow(
    InvalidInputError,
  );
  const both =
    "query($first: Int, $after: String, $last: Int) { a(first: $first, after: $after, last: $last) }";
  expect(() => client.paginate(both, { first: 1, last: 1 }, { select: selectAll })).toThrow(
    "variables.first and variables.last are both set",
  );
  // @ts-expect-error no such variable
  client.paginate(MEMBERS, { org: "o" }, { ...PAGED, variableNames: { after: "cursor" } });
});

test("yields no node after return(), even if the page arrives at that moment", async () => {
  const { client } = await connectClient(answerAll);
  const document =
    "query($first: Int, $after: String) { all(first: $first, after: $after) { nodes { id } } }";
  const select = (data: { readonly all: ReturnType<typeof pageOf> }) => {
    void nodes.return?.();
    return data.all;
  };
  const nodes = client.paginate(document, {}, { select })[Symbol.asyncIterator]();
  expect(await nodes.next()).toEqual({ done: true, value: undefined });
  expect(await nodes.next()).toEqual({ done: true, value: undefined });
});

test("rejects totalCount() if the document does not select it", async () => {
  const { client } = await connectClient(answerMembers);
  const members = client.paginate(MEMBERS, { org: "o" }, PAGED);
  expect(await rejection(members.totalCount())).toBeInstanceOf(InvalidInputError);
  expect((await members.firstPage()).totalCount).toBeUndefined();
});
