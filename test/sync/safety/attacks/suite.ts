import type { Inspection } from "@saas-management/sdk/reference-server";
import type { SyncReceipt } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { useSafetyHarness } from "../../../support/safety-harness.js";
import type { Attack, Ending } from "./attack.js";
import { COUNT, goodRun, LEASE_MS, people, worldOf } from "./world.js";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Tests of a table of attacks: each begins with a good run, and is held against the ending that it names. */
export function describeAttacks(title: string, attacks: readonly Attack[]): void {
  const lines: Line[] = [];
  const log =
    (level: string) =>
    (message: string, details: Readonly<Record<string, unknown>> = {}) =>
      void lines.push({ level, message, details });
  const harness = useSafetyHarness({
    // Some windows of some records each.
    messageBytes: 300,
    windowBytes: 600,
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
  });
  const inspect = () => harness.server.inspect(harness.server.installationId);

  describe(title, () => {
    it.each(attacks.map((attack) => [attack.name, attack] as const))("%s", async (_, attack) => {
      await goodRun(harness);
      const world = worldOf(harness);
      await attack.prepare?.(world);
      const before = inspect();
      lines.length = 0;

      const outcome = await attack.attack(world).then(
        (receipts) => ({ receipts: [receipts].flat() }),
        (error: unknown) => ({ error }),
      );

      const { ending } = attack;
      if (ending.kind === "refused") {
        expectRefusal(outcome, ending);
        expect(removedIds(inspect())).toEqual(removedIds(before));
        expect(completedBatches(inspect())).toEqual(completedBatches(before));
      } else {
        const receipts = "receipts" in outcome ? outcome.receipts : [];
        expect(outcome).not.toHaveProperty("error");
        const removed = removedIds(inspect()).length - removedIds(before).length;
        if (ending.kind === "whole") expect(removed).toBe(0);
        else expect(removed).toBe(ending.removed);
        if (ending.kind === "reported") expectReport(receipts, ending, lines);
        if (ending.kind === "told") expectTold(receipts, ending, lines);
        if (ending.kind === "whole") expect(receipts).not.toHaveLength(0);
      }
      if (ending.kind === "reported" || ending.kind === "told" || attack.heldAfterwards === true) return;

      // What the attack left behind stands in nobody's way.
      harness.server.faults.clear();
      harness.server.clock.advance(LEASE_MS);
      const honest = await world.send(people());
      expect(honest.collections.accounts).toMatchObject({ sent: COUNT });
      const all = people().map(({ generic }) => generic.id);
      expect(harness.present()).toEqual(expect.arrayContaining(all));
    });
  });
}

function expectRefusal(outcome: object, { code, message }: Extract<Ending, { kind: "refused" }>): void {
  expect(outcome).toHaveProperty("error");
  const error: unknown = Reflect.get(outcome, "error");
  const text = error instanceof Error ? error.message : String(error);
  expect({ code: error instanceof Error ? Reflect.get(error, "code") : undefined, text }).toEqual({
    code,
    text: expect.stringMatching(message),
  });
}

/** The receipt, the log and the threshold agree about what was removed. */
function expectReport(
  receipts: readonly SyncReceipt[],
  { collection, removed, allowedBy }: Extract<Ending, { kind: "reported" }>,
  lines: readonly Line[],
): void {
  const told = receipts.map(({ collections }) => collections[collection]);
  expect(told.reduce((sum, figures) => sum + (figures?.removed ?? 0), 0)).toBe(removed);
  const checked = lines.filter(
    ({ message, details }) => message.endsWith("removals checked") && details["collection"] === collection,
  );
  for (const figures of told) {
    const { gone = 0, goneShare = 1 } = figures ?? {};
    expect(figures?.removed).toBe(gone);
    if (allowedBy === undefined) expect(gone < 3 || goneShare <= 0.25).toBe(true);
    expect(checked).toContainEqual({
      level: "info",
      message: expect.any(String),
      details: expect.objectContaining({ held: false, gone, goneShare }),
    });
  }
}

/** What the ledger could not foresee is in the receipt, and a warning says so. */
function expectTold(
  receipts: readonly SyncReceipt[],
  { removed }: Extract<Ending, { kind: "told" }>,
  lines: readonly Line[],
): void {
  const [receipt] = receipts;
  expect(receipt?.collections.accounts).toMatchObject({ removed });
  expect(lines).toContainEqual({
    level: "warn",
    message: expect.stringContaining("the service removed more records than the ledger knew"),
    details: expect.objectContaining({ collection: "accounts", removed }),
  });
}

function removedIds({ snapshots }: Inspection): string[] {
  return Object.entries(snapshots).flatMap(([collection, records]) =>
    records.filter(({ removed }) => removed).map(({ id }) => `${collection} ${id}`),
  );
}

function completedBatches({ batches }: Inspection): string[] {
  return batches.filter(({ state }) => state === "completed").map(({ id }) => id);
}
