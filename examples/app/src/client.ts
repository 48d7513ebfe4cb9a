import { GraphQLClient } from "@saas-management/sdk/graphql";

/** Talks to the server of this page, which has the key. The page has none. */
export const client = new GraphQLClient({ baseUrl: "/api", authorization: "none" });
