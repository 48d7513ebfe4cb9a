import { auditServer } from "graphql-http";
import { expect, test } from "vitest";
import { startServer } from "./graphql-setup.js";

test("passes every audit of the GraphQL over HTTP specification, but for what it may do with GET", async () => {
  const { url, key } = await startServer();
  const fetchFn = (input: string, init: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...init.headers, authorization: key } });
  const results = await auditServer({ url, fetchFn });
  const failed = results.filter(({ status }) => status !== "ok").map(({ id, name }) => `${id} ${name}`);
  // The service takes POST alone, and this server takes no more than the service.
  expect(failed.filter((audit) => !/^\w+ MAY .*\bGETs?\b/.test(audit))).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});
