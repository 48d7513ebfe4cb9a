import { inspect } from "node:util";
import {
  AuthenticationError,
  BatchStateError,
  GraphQLResponseError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "@saas-management/sdk";
import { describe, expect, it, vi } from "vitest";
import { bundleForBrowser } from "../browser/bundle.js";

describe("an error", () => {
  it("is an instance of its class, of the base and of Error, and of no other class", () => {
    const error: unknown = new TimeoutError("late", { timeoutMs: 5 });
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(SaasManagementError);
    expect(error).toBeInstanceOf(Error);
    expect(error instanceof TransportError).toBe(false);
    expect(new Error("other") instanceof SaasManagementError).toBe(false);
  });

  it("is recognized across two copies of the package", async () => {
    vi.resetModules();
    const copy: typeof import("@saas-management/sdk") = await import("@saas-management/sdk");
    expect(copy.TimeoutError).not.toBe(TimeoutError);
    const error: unknown = new copy.TimeoutError("late", { timeoutMs: 5 });
    expect(error instanceof TimeoutError).toBe(true);
    expect(error instanceof SaasManagementError).toBe(true);
    expect(error instanceof AuthenticationError).toBe(false);
  });

  it("of an own subclass is not confused with its parent", () => {
    class MyTimeout extends TimeoutError {}
    expect(new MyTimeout("late", { timeoutMs: 5 }) instanceof TimeoutError).toBe(true);
    expect(new TimeoutError("late", { timeoutMs: 5 }) instanceof MyTimeout).toBe(false);
  });

  it("keeps its name where a bundler shortens the names of classes", async () => {
    const [bundle] = (await bundleForBrowser("src/graphql/index.ts")).files;
    const code = Buffer.from(bundle?.bytes ?? []).toString("base64");
    const sdk: typeof import("@saas-management/sdk/graphql") = await import(
      /* @vite-ignore */ `data:text/javascript;base64,${code}`
    );
    expect(new sdk.TransportError("lost").name).toBe("TransportError");
    const errors = Object.entries(sdk).filter(([name]) => /^[A-Z]\w+Error$/.test(name));
    expect(errors.length).toBeGreaterThan(5);
    const shortened = errors.filter(([name, value]) => Reflect.get(value, "name") !== name);
    expect(shortened.map(([name]) => name)).toEqual(["SaasManagementError"]);
  });

  it("shows its code and facts in JSON and inspection, but neither what the server said nor data", () => {
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

  it("keeps its cause", () => {
    const cause = new Error("socket");
    expect(new TransportError("failed", { cause }).cause).toBe(cause);
    expect("cause" in new BatchStateError("no", { state: "aborted", reason: "aborted" })).toBe(false);
  });
});
