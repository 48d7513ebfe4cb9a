import { inspect } from "node:util";
import {
  AuthenticationError,
  BatchStateError,
  GraphQLResponseError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk";
import { expect, test, vi } from "vitest";
import { bundleForBrowser } from "../system/browser/bundle.js";

test("an error is an instance of its class, its base class and Error, and of no other class", () => {
  const error: unknown = new TimeoutError("late", { timeoutMs: 5 });
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toBeInstanceOf(SaasManagementError);
  expect(error).toBeInstanceOf(Error);
  expect(error instanceof TransportError).toBe(false);
  expect(new Error("other") instanceof SaasManagementError).toBe(false);
});

test("instanceof works across two copies of the package", async () => {
  vi.resetModules();
  const copy: typeof import("@saas-management/sdk") = await import("@saas-management/sdk");
  expect(copy.TimeoutError).not.toBe(TimeoutError);
  const error: unknown = new copy.TimeoutError("late", { timeoutMs: 5 });
  expect(error instanceof TimeoutError).toBe(true);
  expect(error instanceof SaasManagementError).toBe(true);
  expect(error instanceof AuthenticationError).toBe(false);
});

test("a user's subclass is not confused with its parent", () => {
  class MyTimeout extends TimeoutError {}
  expect(new MyTimeout("late", { timeoutMs: 5 }) instanceof TimeoutError).toBe(true);
  expect(new MyTimeout("late", { timeoutMs: 5 }).code).toBe("TIMEOUT");
  expect(new TimeoutError("late", { timeoutMs: 5 }) instanceof MyTimeout).toBe(false);
});

test("instanceof SaasManagementError narrows to the union of all classes, and code to the fields of one", () => {
  const describe = (error: unknown): string | number => {
    if (!(error instanceof SaasManagementError)) return "not of the SDK";
    switch (error.code) {
      case "TIMEOUT":
        return error.timeoutMs;
      case "BATCH_STATE":
        return error.reason;
      default:
        return error.code;
    }
  };
  const state = new BatchStateError("no", { state: "aborted", reason: "aborted" });
  const errors = [
    new TimeoutError("late", { timeoutMs: 5 }),
    state,
    new TransportError("lost"),
    new Error("other"),
  ];
  expect(errors.map(describe)).toEqual([5, "aborted", "TRANSPORT_FAILED", "not of the SDK"]);
});

test("an error keeps its name when a minifier shortens class names", async () => {
  const [bundle] = (await bundleForBrowser("src/graphql/index.ts")).files;
  const code = Buffer.from(bundle?.bytes ?? []).toString("base64");
  const sdk: typeof import("@saas-management/sdk/graphql") = await import(
    /* @vite-ignore */ `data:text/javascript;base64,${code}`
  );
  expect(new sdk.TransportError("lost").name).toBe("TransportError");
  const errors = Object.entries(sdk).filter(([name]) => /^[A-Z]\w+Error$/.test(name));
  expect(errors.length).toBeGreaterThan(5);
  const classes = errors.filter(([, value]) => typeof value === "function");
  expect(classes.filter(([name, value]) => Reflect.get(value, "name") !== name)).toEqual([]);
});

test("JSON and inspection show the code and other fields, but neither the server's messages nor data", () => {
  const error = new GraphQLResponseError("2 errors", {
    errors: [{ message: "canary" }],
    data: { name: "canary" },
    status: 200,
    serverMessage: "canary",
  });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "GraphQLResponseError",
    message: "2 errors",
    code: "GRAPHQL_ERRORS",
    retryable: false,
    attempts: 1,
    status: 200,
  });
  expect(inspect(error, { depth: 9 })).not.toContain("canary");
  expect(error.serverMessage).toBe("canary");
  expect(error.errors).toHaveLength(1);
});
