import { type Application, applicationsQuery, type Result, type Variables } from "./query.js";

/** The pages of all applications, as a client returns them. */
export type Pages = AsyncIterable<readonly Application[]>;

/** Loads a client, and reads the pages at `baseUrl` with it. */
export type PageThrough = (baseUrl: string, first: number, sdk?: string) => Promise<Pages>;

const API_KEY = "key";
const HEADERS = { authorization: API_KEY };

/** Every measured client, used the way its documentation shows. */
export const CLIENTS = {
  "this SDK": (baseUrl, first, sdk) => facade(baseUrl, first, {}, sdk),
  "this SDK, .pages()": (baseUrl, first) => facadePages(baseUrl, first),
  "this SDK, prefetch: false": (baseUrl, first) => facade(baseUrl, first, { prefetch: false }),
  "fetch in a loop": async (baseUrl, first) => {
    const query = applicationsQuery("after");
    return follow(first, async (variables) => {
      const response = await fetch(`${baseUrl}/graphql`, {
        method: "POST",
        headers: { ...HEADERS, "content-type": "application/json" },
        body: JSON.stringify({ query, variables }),
      });
      const { data }: { readonly data: Result } = await response.json();
      return data;
    });
  },
  "graphql-request": async (baseUrl, first) => {
    const { GraphQLClient } = await import("graphql-request");
    const client = new GraphQLClient(`${baseUrl}/graphql`, { headers: HEADERS });
    const query = applicationsQuery("after");
    return follow(first, (variables) => client.request<Result>(query, { ...variables }));
  },
  "@octokit/graphql, paginate": async (baseUrl, first) => {
    const { Octokit } = await import("@octokit/core");
    const { paginateGraphQL } = await import("@octokit/plugin-paginate-graphql");
    const client = new (Octokit.plugin(paginateGraphQL))({ baseUrl, auth: API_KEY });
    return nodesOf(client.graphql.paginate.iterator<Result>(applicationsQuery("cursor"), { first }));
  },
  "@urql/core": async (baseUrl, first) => {
    const { Client, fetchExchange } = await import("@urql/core");
    const client = new Client({
      url: `${baseUrl}/graphql`,
      exchanges: [fetchExchange],
      preferGetMethod: false,
      fetchOptions: { headers: HEADERS },
    });
    const query = applicationsQuery("after");
    return follow(first, async (variables) =>
      found(await client.query<Result>(query, variables).toPromise()),
    );
  },
  "@apollo/client, no cache": (baseUrl, first) => apollo(baseUrl, first, "no-cache"),
  "@apollo/client": (baseUrl, first) => apollo(baseUrl, first, "cache-first"),
} as const satisfies Readonly<Record<string, PageThrough>>;

export type ClientName = keyof typeof CLIENTS;

async function connect(baseUrl: string, sdk = "@saas-management/sdk/graphql") {
  const { GraphQLClient }: typeof import("@saas-management/sdk/graphql") = await import(sdk);
  return new GraphQLClient({ baseUrl, apiKey: API_KEY });
}

async function facade(
  baseUrl: string,
  first: number,
  options: { readonly prefetch?: boolean },
  sdk?: string,
): Promise<Pages> {
  const client = await connect(baseUrl, sdk);
  return inPages(client.applications({ pageSize: first, ...options }), first);
}

/** Reads node by node, as a user does, and reports where a page ends. */
async function* inPages(nodes: AsyncIterable<Application>, size: number): Pages {
  let page: Application[] = [];
  for await (const node of nodes) {
    page.push(node);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
}

async function facadePages(baseUrl: string, first: number): Promise<Pages> {
  const client = await connect(baseUrl);
  return (async function* () {
    for await (const { nodes } of client.applications({ pageSize: first }).pages()) yield nodes;
  })();
}

async function apollo(
  baseUrl: string,
  first: number,
  fetchPolicy: "no-cache" | "cache-first",
): Promise<Pages> {
  const { ApolloClient, gql, HttpLink, InMemoryCache } = await import("@apollo/client");
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${baseUrl}/graphql`, headers: HEADERS }),
    cache: new InMemoryCache(),
  });
  const query = gql(applicationsQuery("after"));
  return follow(first, async (variables) =>
    found(await client.query<Result>({ query, variables: { ...variables }, fetchPolicy })),
  );
}

/** The loop that users write around a client that has no paging. */
async function* follow(first: number, ask: (variables: Variables) => Promise<Result>): Pages {
  let after: string | undefined;
  do {
    const { nodes, pageInfo } = (await ask({ first, after })).applications;
    yield nodes;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
  } while (after !== undefined);
}

async function* nodesOf(results: AsyncIterable<Result>): Pages {
  for await (const { applications } of results) yield applications.nodes;
}

function found({ data, error }: { readonly data?: Result | undefined; readonly error?: unknown }): Result {
  if (data === undefined) throw new Error("The response has no data.", { cause: error });
  return data;
}
