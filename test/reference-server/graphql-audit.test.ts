import { auditServer } from "graphql-http";
import { expect, test } from "vitest";
import { startServer } from "./graphql-setup.js";

test("passes every audit of the GraphQL over HTTP specification", async () => {
  const { url, key } = await startServer();
  const fetchFn = (input: string, init: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...init.headers, authorization: key } });
  const results = await auditServer({ url, fetchFn });
  const failed = results.filter(({ status }) => status !== "ok").map(({ id, name }) => `${id} ${name}`);
  expect(failed).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});
