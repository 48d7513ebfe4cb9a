import { GraphQLClient } from "@saas-management/sdk/graphql";

// The first request of a process loads graphql and graphql-request, in turns that are not the simulation's.
const fetch = async () => Response.json({ data: {} });
await new GraphQLClient({ baseUrl: "http://127.0.0.1", apiKey: "warm-up", fetch }).request("{ a }", {});
