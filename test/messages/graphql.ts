import { GraphQLClient } from "@saas-management/sdk/graphql";
import { NEW_CASE } from "../support/records.js";

/** A client whose requests all get this answer. */
function answeredWith(answer: () => Response): GraphQLClient {
  const options = { baseUrl: "https://api.example.com", apiKey: "key-1", retry: false } as const;
  return new GraphQLClient({ ...options, fetch: async () => answer() });
}

export const messages = [
  {
    title: "a mutation that may have been done",
    provoke: () => answeredWith(() => Response.json({}, { status: 503 })).createProcurementCase(NEW_CASE),
    text: "GraphQL mutation CreateProcurementCase failed: the server answered with HTTP 503. It may or may not have taken effect: read the data to find out.",
  },
  {
    title: "errors of a GraphQL response",
    provoke: () =>
      answeredWith(() =>
        Response.json({ errors: [{ message: "m", path: ["licenses"], extensions: { code: "INTERNAL" } }] }),
      )
        .licenses()
        .firstPage(),
    text: "GraphQL query Licenses failed: the service answered with an error (INTERNAL), at licenses. See errors (the service's messages) and data.",
  },
  {
    title: "an answer that is not JSON",
    provoke: () =>
      answeredWith(() => new Response("<h1>Login</h1>"))
        .licenses()
        .firstPage(),
    text: "GraphQL query Licenses failed: the answer of https://api.example.com/graphql isn't JSON (HTTP 200). Check baseUrl, and that no proxy or login page answers instead.",
  },
  {
    title: "a change that would reach every vendor",
    provoke: () =>
      answeredWith(() => new Response()).changeVendorsState({ state: "ARCHIVED" }, { vendor: {} }),
    text: 'where.vendor must be an object with at least one condition: otherwise the change could reach every vendor. To change every vendor, pass "all".',
  },
];
