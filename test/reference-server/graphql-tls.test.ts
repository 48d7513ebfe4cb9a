import { request } from "node:https";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { identity } from "../support/tls-certificates.js";
import { post, startServer } from "./graphql-setup.js";

test("serves over TLS", async () => {
  const tls = identity("self-signed");
  const { url, key } = await startServer({ tls });
  const body = await new Promise<string>((resolve, reject) => {
    const { headers, body: sent } = post("{ __typename }", key);
    const options = { method: "POST", ca: tls.cert, servername: "localhost", headers };
    request(url, options, (response) => resolve(text(response)))
      .once("error", reject)
      .end(sent);
  });
  expect(JSON.parse(body)).toEqual({ data: { __typename: "Query" } });
});
