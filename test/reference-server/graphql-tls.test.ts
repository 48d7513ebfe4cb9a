import { readFileSync } from "node:fs";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { post, startServer } from "./graphql-setup.js";

const pem = (name: string) => readFileSync(new URL(`../support/grpc-tls-${name}.pem`, import.meta.url));

test("serves over TLS", async () => {
  const tls = { cert: pem("cert"), key: pem("key") };
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
