import { SaasManagementClient } from "@saas-management/sdk";
import { ConfigurationError, GraphQLClient, InvalidInputError } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { pageOf, servePage } from "../support/http-pages.js";

const CLIENT = { baseUrl: "https://api.example.com", apiKey: "k" };

describe("headers", () => {
  it.each<[string, unknown]>([
    ["a Headers", new Headers({ "x-tenant": "canary" })],
    ["a Map", new Map([["x-tenant", "canary"]])],
    ["an array", [["x-tenant", "canary"]]],
    ["a string", "x-tenant: canary"],
    ["null", null],
    ["a number", 7],
    ["undefined", { "x-tenant": undefined }],
    ["null", { "x-tenant": null }],
    ["an object", { "x-tenant": { canary: 1 } }],
  ])(
    "that are %s are refused by client, call and connection, and not sent without a word",
    async (kind, headers) => {
      const options = { ...CLIENT, ...{ headers } };
      for (const Client of [GraphQLClient, SaasManagementClient]) {
        const make = () => Reflect.construct(Client, [options]);
        expect(make).toThrow(ConfigurationError);
        expect(make).toThrow(new RegExp(`^headers.*, got ${kind}\\.$`));
      }
      const { client, server } = await connectClient(() => {});
      const call = async () => Reflect.apply(client.request, client, ["{ x }", {}, { headers }]);
      const error = await rejection(call());
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toContain(`got ${kind}.`);
      expect(String(error)).not.toContain("canary");
      expect(() => Reflect.apply(client.licenses, client, [{}, { headers }])).toThrow(InvalidInputError);
      expect(server.requests).toHaveLength(0);
    },
  );

  it("and retries of a connection are those that it was made with", async () => {
    const { client, server } = await connectClient((request, response) =>
      servePage(response, pageOf(4, request)),
    );
    const headers = { "x-tenant": "A" };
    const retry = { retries: 0 };
    const apps = client.applications({ first: 2 }, { headers, retry, prefetch: false });
    headers["x-tenant"] = "B";
    retry.retries = -1;
    for await (const _ of apps) headers["x-tenant"] = "C";
    expect(server.requests.map((request) => request.headers["x-tenant"])).toEqual(["A", "A"]);
  });
});
