import { SaasManagementError } from "@saas-management/sdk";
import { expect } from "vitest";

/** Checks that the stack of an SDK error leads to this function in this file, without repeated frames. */
export function expectStack(error: unknown, file: string, name: string): void {
  if (!(error instanceof SaasManagementError)) throw error;
  const [head = "", ...frames] = error.stack?.split("\n") ?? [];
  expect(head).toBe(`${error.name}: ${error.message}`);
  const own = frames.filter((frame) => frame.includes(file));
  expect(own.filter((frame) => frame.includes(name))).not.toHaveLength(0);
  expect(new Set(own).size).toBe(own.length);
}
