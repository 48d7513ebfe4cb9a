/** A ledger of format version 1, which every later version must read: docs/reference/ledger-format.md describes it. */
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type Connector,
  fileLedger,
  type RecordOf,
  type RunContext,
  type SnapshotCollection,
} from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { openBatch } from "../../../src/runs/ledger/journal-entries.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { testService } from "../../support/test-service.js";

const FIXTURE = new URL("./ledger-format-1/", import.meta.url);
const ENDPOINT = "http://127.0.0.1:49152";
const service = testService();
const idsOf = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const SPECIAL = ["a\\b", "line\nbreak", "日本語", "\u0007bell"];

/** The fixture's second collection. */
const GROUPS: SnapshotCollection = "groups";

/** Sends accounts, and groups with these ids. */
function sent(
  users: readonly RecordOf<"accounts">[],
  groups: readonly string[],
  see?: (context: RunContext) => void,
): Connector<SnapshotCollection> {
  const rows = groups.map((id) => ({ id, name: id }));
  return {
    snapshots: ["accounts", GROUPS],
    run: async (batch, context) => {
      see?.(context);
      await batch.write("accounts", users);
      await batch.write(GROUPS, rows);
    },
  };
}

/** A copy of the fixture, as a client of its service sees it. */
async function copied(form: "clear" | "hashed", hashIds = form === "hashed") {
  const directory = join(service.directory, form);
  await cp(new URL(form, FIXTURE), directory, { recursive: true });
  const [folder = ""] = await readdir(directory);
  const installationId = folder.slice(0, 36);
  const ledger = fileLedger(directory, { hashIds });
  const clock = new TestClock({ startAt: new Date("2026-01-01T16:00:00Z") });
  const client = service.syncClient({ endpoint: ENDPOINT, clock });
  return { client, ledger, installationId };
}

test.each(["clear", "hashed"] as const)(
  "reads receipts with their lists, and held runs (%s ids)",
  async (form) => {
    const { client, ...where } = await copied(form);
    const { runs, held } = await client.history(where);
    const listedIn = { removals: expect.stringMatching(/accounts\.00000002\..*\.removals\.txt$/) };
    expect(
      runs.map(({ completedAt, collections: { accounts } }) => [
        completedAt.getUTCHours(),
        accounts?.expected,
        accounts?.listedIn,
      ]),
    ).toEqual([
      [12, expect.objectContaining({ baseline: "none", known: 0, sent: 20 }), undefined],
      [
        13,
        expect.objectContaining({ baseline: "completed", known: 20, sent: 19, removed: 1 }),
        form === "clear" ? listedIn : undefined,
      ],
    ]);
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(held).toMatchObject([
      {
        isApproved: true,
        heldAt: new Date("2026-01-01T14:00:00Z"),
        approval: { id, expiresAt: new Date("2026-01-08T14:00:00Z") },
        reasons: [
          { collection: "accounts", rule: "removed" },
          { collection: "groups", rule: "removed" },
          { collection: "groups", rule: "added" },
        ],
      },
      {
        isApproved: false,
        heldAt: new Date("2026-01-01T14:30:00Z"),
        approval: { id, expiresAt: new Date("2026-01-08T14:30:00Z") },
        reasons: [{ collection: "accounts", rule: "removed" }],
      },
    ]);
    expect(String(held[1]).split("\n")[0]).toBe(
      "Held: 19 of 19 accounts would be removed. Nothing was sent.",
    );
    const clear = [...SPECIAL, ...idsOf(15, "u").slice(2)];
    expect(held[0]?.reasons[0]?.examples.toSorted()).toEqual(form === "clear" ? clear.toSorted() : []);
  },
);

test.each([
  ["clear", false],
  ["clear", true],
  ["hashed", true],
] as const)(
  "compares with its snapshots, and reads its watermark (%s ids, hashIds: %s)",
  async (form, hashIds) => {
    const { client, ...where } = await copied(form, hashIds);
    let since: string | undefined;
    const users = [...SPECIAL, ...idsOf(14, "u"), "new"].map((id) => ({ id }));
    const connector = sent(users, [...idsOf(3, "g"), ...idsOf(60, "n")], ({ watermark }) => {
      since = watermark("usage");
    });
    const { collections } = await client.preview(connector, { ...where, ledger: where.ledger });
    expect(since).toBe("1767272400000");
    expect(collections.accounts?.diff).toMatchObject({
      baseline: "unclear",
      known: 19,
      kept: 18,
      added: 1,
      removed: 1,
    });
    expect(collections[GROUPS]?.diff).toMatchObject({
      baseline: "unclear",
      known: 63,
      kept: 63,
      added: 0,
      removed: 0,
    });
  },
);

test.each(["clear", "hashed"] as const)("compares with the run that was approved (%s ids)", async (form) => {
  const { client, ...where } = await copied(form);
  const named = (count: number) => idsOf(count, "u").map((id) => ({ id, name: `name ${id}` }));
  const { refusals } = await client.preview(sent(named(2), idsOf(59, "n")), where);
  expect(refusals).toEqual([]);
  const others = await client.preview(sent([], idsOf(20, "n")), where);
  for (const collection of ["accounts", "groups"])
    expect(others.held?.notes.join()).toContain(
      `The approval does not cover ${collection}: this run differs too much from the one that was held`,
    );
});

test.each(["clear", "hashed"] as const)("reads the open batch of its journal (%s ids)", async (form) => {
  const { ledger, installationId } = await copied(form);
  expect(await openBatch(openLedger(ledger, { endpoint: ENDPOINT, installationId }))).toEqual({
    batchId: expect.any(String),
    owner: "4711 on host-1",
    heartbeat: Date.parse("2026-01-01T14:59:40Z"),
    isGone: false,
  });
});
