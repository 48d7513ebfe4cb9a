import type { Connector, SnapshotCollection } from "@saas-management/sdk";
import { testConnector } from "@saas-management/sdk/testing";
import { expect } from "vitest";

/** Expects at least `faults` rows: none WRONG, and each of the other verdicts at least once. */
export async function expectWithstands<S extends SnapshotCollection>(
  connector: Connector<S>,
  faults: number,
  options: { readonly cassette?: string } = {},
): Promise<void> {
  const report = await testConnector(connector, options);
  expect(report.faults.filter(({ verdict }) => verdict === "WRONG")).toEqual([]);
  expect(report.notRun.filter(({ reason }) => reason.includes("error of the kit"))).toEqual([]);
  expect(report.faults.length).toBeGreaterThanOrEqual(faults);
  expect(new Set(report.faults.map(({ verdict }) => verdict))).toEqual(new Set(["same", "refused", "held"]));
}
