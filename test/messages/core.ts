import { SaasManagementClient } from "@saas-management/sdk";
import { GraphQLClient } from "@saas-management/sdk/graphql";

const GRAPHQL = { baseUrl: "https://api.example.com", apiKey: "key-1" };

export const messages = [
  {
    title: "an endpoint that is not an absolute URL",
    provoke: () => new SaasManagementClient({ baseUrl: "api.example.com", apiKey: "key-1" }),
    text: "baseUrl must be an absolute URL such as https://api.example.com.",
  },
  {
    title: "an endpoint without encryption",
    provoke: () => new SaasManagementClient({ ...GRAPHQL, baseUrl: "http://api.example.com" }),
    text: "baseUrl must begin with https://; http:// is for loopback only (localhost, 127.0.0.0/8, [::1]).",
  },
  {
    title: "an unknown option",
    provoke: () => new GraphQLClient({ ...GRAPHQL, retry: Object.assign({ retries: 1 }, { Retries: 1 }) }),
    text: "retry: unknown option Retries. Did you mean retries? Known: retries, minDelayMs, maxDelayMs.",
  },
  {
    title: "no credential",
    provoke: () => new SaasManagementClient({ baseUrl: GRAPHQL.baseUrl }),
    text: "No credential: set apiKey (or SAAS_MANAGEMENT_API_KEY with fromEnv), or authorization.",
  },
  {
    title: "a key with a trailing newline",
    provoke: () => new GraphQLClient({ ...GRAPHQL, apiKey: "key-1\n" }).request("{ __typename }", {}),
    text: "apiKey contains a character that isn't allowed in a header. Nothing was sent. It may contain a trailing newline.",
  },
];
