import {
  ConfigurationError,
  InvalidInputError,
  SaasManagementClient,
  sumByCurrency,
} from "@saas-management/sdk";
import { expect, test } from "vitest";

const client = { baseUrl: "https://api.example.com", syncUrl: "https://sync.example.com", apiKey: "key-1" };

test.each(["retry", "timeoutMs", "sync"])(
  "refuses null for the option %s instead of using its default",
  (name) => {
    expect(() => new SaasManagementClient({ ...client, [name]: null })).toThrow(ConfigurationError);
  },
);

test.each([null, 5, ""])("refuses %j as tls.serverName", (serverName) => {
  const tls: object = { serverName };
  expect(() => new SaasManagementClient({ ...client, tls })).toThrow(ConfigurationError);
});

test("refuses null for the retry option of a request before it is sent", async () => {
  await using sdk = new SaasManagementClient({
    ...client,
    retry: false,
    fetch: () => Promise.reject(new Error("sent")),
  });
  const options = JSON.parse('{"retry":null}');
  await expect(sdk.graphql.request("{ __typename }", {}, options)).rejects.toThrow(ConfigurationError);
});

test("refuses items of sumByCurrency that are not iterable", async () => {
  const page = JSON.parse('{"nodes":[]}');
  await expect(sumByCurrency(page, () => null)).rejects.toThrow(InvalidInputError);
});
