import { GraphQLClient } from "@saas-management/sdk/graphql";

/** Talks to this page's server, which has the key: the page has none. */
export const client = new GraphQLClient({ baseUrl: "/api", authorization: "none" });
