import { expect, test } from "vitest";
import { viewsOf } from "../../src/reference-server/graphql/views/views.js";
import { type Collection, Workspace } from "../../src/reference-server/workspace.js";
import { account, discoveredUsage, employee, HandSynced, license, plan, usage } from "./graphql-setup.js";

const DAY_MS = 86_400_000;
const AT = "2026-03-01T08:00:00Z";
const NOW = Date.parse("2026-03-15T12:00:00Z");
const RECORDS: Partial<Record<Collection, Parameters<HandSynced["set"]>[0]>> = {
  accounts: { accounts: [account("a")] },
  employees: { employees: [employee("e", "Ada")] },
  externallyDiscoveredUsage: { externallyDiscoveredUsage: [discoveredUsage("a", "Chat", { at: AT })] },
  licenses: { licenses: [license("l", "a", "p")] },
  plans: { plans: [plan("p", "Pro")] },
  usage: { usage: [usage("a", AT)] },
};

function start() {
  const workspace = new Workspace("w");
  const installation = new HandSynced("i", "Figma");
  workspace.installations.push(new HandSynced("other", "Slack"), installation);
  return { workspace, installation, before: viewsOf(workspace, NOW) };
}

test.each(Object.entries(RECORDS))(
  "makes the views again after a change of %s, and only then",
  (_, records) => {
    const { workspace, installation, before } = start();
    expect(viewsOf(workspace, NOW + 1)).toBe(before);
    installation.set(records);
    const after = viewsOf(workspace, NOW);
    expect(after).not.toBe(before);
    expect(viewsOf(workspace, NOW)).toBe(after);
  },
);

test("makes the views again on another day, for another state and another installation", () => {
  const { workspace, before } = start();
  const nextDay = viewsOf(workspace, NOW + DAY_MS);
  workspace.setVendorStates(["Figma"], "ARCHIVED");
  const archived = viewsOf(workspace, NOW + DAY_MS);
  workspace.installations.push(new HandSynced("new", "Miro"));
  const added = viewsOf(workspace, NOW + DAY_MS);
  expect(new Set([before, nextDay, archived, added]).size).toBe(4);
});
