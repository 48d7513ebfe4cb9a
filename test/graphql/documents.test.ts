import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { InvalidInputError, PaginationError } from "@saas-management/sdk/graphql";
import { parse } from "graphql";
import { describe, expect, expectTypeOf, it } from "vitest";
import { TypedDocumentString } from "../../src/graphql/generated/operations.js";
import { connectClient, rejection } from "../support/http-client.js";
import { nodeIds, pageOf } from "../support/http-pages.js";
import { json, type Responder } from "../support/http-server.js";

interface Team {
  readonly team: { readonly name: string };
}

const text = "query Team($id: ID!) { team(id: $id) { name } }";
const node: TypedDocumentNode<Team, { readonly id: string }> = parse(text);
const string = new TypedDocumentString<Team, { readonly id: string }>(text);
const withoutVariables = new TypedDocumentString<Team, { [key: string]: never }>("{ team { name } }");
const withOptional = new TypedDocumentString<Team, { id?: string | null | undefined }>(
  "query Team($id: ID) { team(id: $id) { name } }",
);

const answerTeam: Responder = (_, response) => json(response, { data: { team: { name: "IT" } } });

describe("a document of your own", () => {
  it("may be a TypedDocumentNode: it is printed", async () => {
    const { client, server } = await connectClient(answerTeam);
    const data = await client.request(node, { id: "t1" });
    expectTypeOf(data).toEqualTypeOf<Team>();
    expect(data.team.name).toBe("IT");
    expect(server.requests[0]?.body.query).toContain("team(id: $id)");
    expect(server.requests[0]?.body.variables).toEqual({ id: "t1" });
  });

  it("may be a TypedDocumentString", async () => {
    const { client, server } = await connectClient(answerTeam);
    expectTypeOf(await client.request(string, { id: "t1" })).toEqualTypeOf<Team>();
    expect(server.requests[0]?.body.query).toBe(text);
  });

  it("may be a string, with a result of unknown type or of the one that is said", async () => {
    const { client } = await connectClient(answerTeam);
    expectTypeOf(await client.request(text, { id: "t1" })).toEqualTypeOf<unknown>();
    expectTypeOf(await client.request<Team>(text, { id: "t1" })).toEqualTypeOf<Team>();
    expect(await client.request(text)).toEqual({ team: { name: "IT" } });
  });

  it("needs variables exactly when its operation has required ones", async () => {
    const { client } = await connectClient(answerTeam);
    await client.request(withoutVariables);
    await client.request(withoutVariables, {}, { timeoutMs: 1_000 });
    await client.request(withOptional);
    await client.request(withOptional, { id: "t1" });
    await client.rawRequest(string, { id: "t1" });
    // @ts-expect-error variables are missing
    await client.request(string);
    // @ts-expect-error variables are missing
    await client.rawRequest(node);
    // @ts-expect-error not the type of the variable
    await client.request(string, { id: 1 });
    // @ts-expect-error no such variable
    await client.request(withoutVariables, { id: "t1" });
  });

  it.each([
    ["an empty text", " "],
    ["an object of another kind", {}],
    ["no operation", "fragment F on Query { a }"],
    ["two operations", "query A { a } query B { b }"],
  ])("with %s is refused before any request", async (_, document) => {
    const { client, server } = await connectClient(answerTeam);
    expect(await rejection(client.request(document))).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });
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

/** A nested collection of five, paged by `size` and `from`. */
const answerMembers: Responder = (request, response) => {
  const { size, from } = request.body.variables;
  const page = pageOf(5, { ...request, body: { query: "", variables: { first: size, after: from } } });
  const { hasNextPage, endCursor } = page.pageInfo;
  json(response, { data: { org: { members: { nodes: page.nodes, pageInfo: { hasNextPage, endCursor } } } } });
};

describe("paginate", () => {
  it("walks a nested connection by the variables that it is told", async () => {
    const { client, server } = await connectClient(answerMembers);
    const members = client.paginate(
      MEMBERS,
      { org: "o1" },
      { select: (data) => data.org?.members, after: "from", first: "size", pageSize: 2 },
    );
    const nodes = await members.toArray();
    expectTypeOf(nodes).toEqualTypeOf<{ readonly id: string }[]>();
    expect(nodes).toEqual(nodeIds(0, 5));
    expect(server.requests.map(({ body }) => body.variables)).toEqual([
      { org: "o1", size: 2 },
      { org: "o1", size: 2, from: "c1" },
      { org: "o1", size: 2, from: "c3" },
    ]);
  });

  it("takes page size and begin from the variables", async () => {
    const { client, server } = await connectClient(answerMembers);
    const names = { after: "from", first: "size" } as const;
    const members = client.paginate(
      MEMBERS,
      { org: "o1", size: 3, from: "c0" },
      { select: (data) => data.org?.members, ...names },
    );
    expect(await members.toArray({ limit: 4 })).toEqual(nodeIds(1, 5));
    expect(server.requests[0]?.body.variables).toEqual({ org: "o1", size: 3, from: "c0" });
  });

  it("uses $after and $first where nothing else is said, and walks backward with $before and $last", async () => {
    const { client, server } = await connectClient((request, response) =>
      json(response, { data: { all: pageOf(3, request) } }),
    );
    const page = "{ nodes { id } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } }";
    const select = (data: { readonly all: ReturnType<typeof pageOf> }) => data.all;
    const forward = `query($first: Int, $after: String) { all(first: $first, after: $after) ${page} }`;
    expect(await client.paginate(forward, {}, { select }).toArray()).toEqual(nodeIds(0, 3));
    const backward = `query($last: Int, $before: String) { all(last: $last, before: $before) ${page} }`;
    const reversed = await client.paginate(backward, {}, { select, before: "before", pageSize: 2 }).toArray();
    expect(reversed).toEqual(nodeIds(0, 3).reverse());
    expect(server.requests.map(({ body }) => body.variables)).toEqual([
      { first: 100 },
      { last: 2 },
      { last: 2, before: "c1" },
    ]);
  });

  it("sends no page size where the document declares no variable for it", async () => {
    const { client, server } = await connectClient((request, response) =>
      json(response, { data: { all: pageOf(1, request) } }),
    );
    const document = "query($after: String) { all(after: $after) { nodes { id } } }";
    const select = (data: { readonly all: ReturnType<typeof pageOf> }) => data.all;
    await client.paginate(document, {}, { select }).toArray();
    expect(server.requests[0]?.body.variables).toEqual({});
  });

  it.each([
    ["declares no variable for the cursor", "query($first: Int) { all(first: $first) { nodes { id } } }"],
    ["is a mutation", "mutation($after: String) { all(after: $after) { nodes { id } } }"],
  ])("refuses a document that %s before any request", async (_, document) => {
    const { client, server } = await connectClient(answerMembers);
    const connection = client.paginate(document, {}, { select: () => undefined });
    expect(await rejection(connection.toArray())).toBeInstanceOf(InvalidInputError);
    expect(server.requests).toHaveLength(0);
  });

  it("gives no node after it was left, also where its page came in at that moment", async () => {
    const { client } = await connectClient((request, response) =>
      json(response, { data: { all: pageOf(3, request) } }),
    );
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

  it.each([
    ["first", { first: "sise" }],
    ["pageSize", { pageSize: 30 }],
  ])(
    "refuses %s where the document declares no variable for it: it would have no effect",
    async (_, options) => {
      const { client, server } = await connectClient((_request, response) => json(response, { data: {} }));
      const document = "query Names($after: String) { applications(after: $after) { nodes { id } } }";
      const names = client.paginate<{ applications: undefined }, unknown>(
        document,
        {},
        {
          select: (data) => data.applications,
          ...options,
        },
      );
      const error = await rejection(names.toArray());
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toContain(`$${"first" in options ? "sise" : "first"}`);
      expect(server.requests).toHaveLength(0);
    },
  );

  it("refuses names of both directions, and a page size that is said twice", async () => {
    const { client } = await connectClient(answerMembers);
    const select = (data: Department) => data.org?.members;
    expect(() => client.paginate(MEMBERS, { org: "o" }, { select, after: "from", before: "from" })).toThrow(
      InvalidInputError,
    );
    expect(() =>
      client.paginate(MEMBERS, { org: "o", size: 2 }, { select, after: "from", first: "size", pageSize: 2 }),
    ).toThrow(InvalidInputError);
    // @ts-expect-error no such variable
    client.paginate(MEMBERS, { org: "o" }, { select, after: "cursor" });
  });

  it("tells what to select where the response has no page", async () => {
    const { client } = await connectClient((_, response) => json(response, { data: { org: null } }));
    const members = client.paginate(
      MEMBERS,
      { org: "o" },
      { select: (data) => data.org?.members, after: "from", first: "size" },
    );
    const error = await rejection(members.toArray());
    expect(error).toBeInstanceOf(PaginationError);
    expect(String(error)).toContain("pageInfo { hasNextPage endCursor }");
  });

  it("lets an exception of select come out unchanged", async () => {
    const { client } = await connectClient(answerMembers);
    const own = new Error("own");
    const select = () => {
      throw own;
    };
    const members = client.paginate(MEMBERS, { org: "o" }, { select, after: "from", first: "size" });
    expect(await rejection(members.toArray())).toBe(own);
  });

  it("cannot count what the document does not select", async () => {
    const { client } = await connectClient(answerMembers);
    const members = client.paginate(
      MEMBERS,
      { org: "o" },
      { select: (data) => data.org?.members, after: "from", first: "size" },
    );
    expect(await rejection(members.totalCount())).toBeInstanceOf(InvalidInputError);
    expect((await members.firstPage()).totalCount).toBeUndefined();
  });
});
