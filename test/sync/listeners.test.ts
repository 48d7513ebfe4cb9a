import type { CollectionName } from "@saas-management/sdk/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const START = { installationId: "installation-1" };

let warnings: string[] = [];
const note = (warning: Error) => void warnings.push(warning.name);
beforeEach(() => {
  warnings = [];
  process.on("warning", note);
});
afterEach(() => void process.off("warning", note));

describe("many things at once print no warning of a leak", () => {
  it("starts of one client", async () => {
    const answers: (() => void)[] = [];
    harness.server.beforeStart = () => new Promise((resolve) => answers.push(resolve));
    const client = harness.client();
    const starting = Array.from({ length: 25 }, () => client.startBatch(START));
    await until(() => answers.length === 25);
    for (const answer of answers) answer();
    for (const batch of await Promise.all(starting)) batch.close();
    await nextTick();
    expect(warnings).toEqual([]);
  });

  it("open collections of one batch", async () => {
    const batch = await harness.startBatch();
    const names = [
      "accounts",
      "plans",
      "licenses",
      "employees",
      "groups",
      "groupMembers",
      "devices",
      "usage",
      "externallyDiscoveredUsage",
      "auditLogs",
      "aiUsage",
      "aiCost",
    ] as const satisfies readonly CollectionName[];
    const open = names.map((name) => batch.open(name));
    for (const collection of open) await collection.push([]);
    for (const collection of open) await collection.seal();
    await batch.complete();
    await nextTick();
    expect(warnings).toEqual([]);
  });
});

/** Warnings are told on the next tick. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
