/**
 * Ways to lose records. Each test begins with a good run of all records, followed by one of these attacks. A run that
 * fails before it starts a batch makes no call to the service.
 */

import type {
  ClientEvent,
  RecordOf,
  RecordSource,
  RunContext,
  RunOptions,
  RunReceipt,
  SnapshotCollection,
  SnapshotDiff,
  SyncProgress,
  WriteOptions,
} from "@saas-management/sdk";
import type { Inspection } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { ofSnapshots } from "../../../support/adopted.js";
import { until } from "../../../support/promises.js";
import { type TestService, testService } from "../../../support/test-service.js";
import { licenses } from "./records.js";

export type Account = RecordOf<"accounts">;

/** Number of accounts of the vendor. */
export const COUNT = 40;
export const LEASE_MS = 15 * 60_000;
export const DAY_MS = 24 * 60 * 60_000;

/** A signal that fires after a minute of the service's clock, as `AbortSignal.timeout` does. */
export function timeLimit({ clock }: TestService): AbortSignal {
  const controller = new AbortController();
  clock.after(60_000, () => controller.abort(new DOMException("It took too long.", "TimeoutError")));
  return controller.signal;
}

/** Longest pause of a run before it calls its connector again. */
const MAX_PAUSE_MS = 2000;

/** How an attack ends. Records are never removed without a report. */
export type Ending =
  /** The run rejects with an error that has these fields. */
  | {
      readonly kind: "refused";
      readonly error: object;
      /** How far the run got. By default it made no call; with `start`, it sent no records. */
      readonly reached?: "start" | "records";
    }
  /** The removal goes through; the receipt and the log report it. */
  | {
      readonly kind: "reported";
      readonly collection: SnapshotCollection;
      readonly removed: number;
      /** Set if an option or an approval allows more than the threshold. */
      readonly allowedBy?: "option" | "approval";
      /** Set if the answer with the service's counts is lost. */
      readonly uncounted?: boolean;
    }
  /** A removal that the ledger couldn't foresee; the receipt and a warning report it. */
  | { readonly kind: "warned"; readonly removed: number }
  /** The run completes, and every record is still there. */
  | { readonly kind: "whole" };

export interface Attack {
  readonly name: string;
  readonly ending: Ending;
  /** Makes the runs between the good run and those of the attack itself. */
  readonly prepare?: (service: TestService) => Promise<unknown>;
  /** Resolves with the receipts of the runs that completed. */
  readonly attack: (service: TestService) => Promise<RunReceipt | readonly RunReceipt[]>;
  /** Whether the attack leaves the ledger in a state that holds an honest run, too. */
  readonly heldAfterwards?: boolean;
  /** Checks more than the ending. */
  readonly check?: (service: TestService, receipts: readonly RunReceipt[]) => unknown;
}

/** @param does The attack's function, or an object with the function and the attack's other parts. */
export function attack(
  name: string,
  ending: Ending,
  does: Attack["attack"] | Omit<Attack, "name" | "ending">,
): Attack {
  return { name, ending, ...(typeof does === "function" ? { attack: does } : does) };
}

interface HeldFor {
  readonly collection: SnapshotCollection;
  readonly rule: string;
  readonly fields: readonly string[];
}

/** The guard holds the run, for this reason among others. */
export function held({
  collection,
  rule = "removed",
  fields,
  ...figures
}: Partial<HeldFor & SnapshotDiff> = {}): Ending {
  const named = { rule, ...(collection && { collection }) };
  const reason = expect.objectContaining({
    ...named,
    ...(fields && {
      fields: expect.arrayContaining(fields.map((name) => expect.objectContaining({ name }))),
    }),
    diff: expect.objectContaining(figures),
  });
  return refused("RUN_HELD", {
    report: expect.objectContaining({ reasons: expect.arrayContaining([reason]) }),
  });
}

export function refused(code: string, fields: object = {}): Ending {
  return { kind: "refused", error: { code, ...fields } };
}

/** The same ending for a run that has started a batch, or sent records. */
export function reaching(reached: "start" | "records", ending: Ending): Ending {
  return ending.kind === "refused" ? { ...ending, reached } : ending;
}

/** The batch cannot be completed because a write failed. */
export const POISONED = refused("BATCH_STATE", { reason: "incomplete" });

export const INVALID = refused("INVALID_INPUT");
export const WHOLE: Ending = { kind: "whole" };

/** The run rejects with an exception of the connector's own. */
export function ownException(message: string): Ending {
  return { kind: "refused", error: { name: "Error", message } };
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function testAttacks(attacks: readonly Attack[]): void {
  const lines: Line[] = [];
  const log =
    (level: string) =>
    (message: string, details: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, message, details });
      // After this line the run pauses, so the clock has to move.
      if (message.endsWith("the connector is called again"))
        setImmediate(() => service.clock.advance(MAX_PAUSE_MS));
    };
  const logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  const calls: string[] = [];
  const onEvent = ({ type, operation }: ClientEvent) => void (type === "request" && calls.push(operation));
  // Several windows of several records.
  const service = testService({ sync: { messageBytes: 300, windowBytes: 600, logger, onEvent } });

  test.each(attacks)(
    "never removes a record unnoticed if $name",
    async ({ ending, prepare, attack, heldAfterwards, check }) => {
      await goodRun(service);
      await prepare?.(service);
      const before = service.inspect();
      lines.length = 0;
      calls.length = 0;

      const outcome = await attack(service).then(
        (receipts) => ({ receipts: [receipts].flat() }),
        (error: unknown) => ({ receipts: [], error }),
      );

      const { receipts } = outcome;
      const removed = removedIds(service.inspect()).length - removedIds(before).length;
      if (ending.kind === "refused") {
        expect(outcome).toMatchObject({ error: ending.error });
        expect(removed).toBeLessThanOrEqual(0);
        expect(completedBatches(service.inspect())).toEqual(completedBatches(before));
        expectNothingSent(calls, { before, after: service.inspect() }, ending.reached);
      } else {
        expect(outcome).not.toHaveProperty("error");
        expect(receipts).not.toEqual([]);
        expect(removed).toBe(ending.kind === "whole" ? 0 : ending.removed);
      }
      await check?.(service, receipts);
      if (ending.kind === "reported") expectReport(receipts, ending, lines);
      if (ending.kind === "warned") expectWarning(receipts, ending, lines);
      if (ending.kind === "reported" || ending.kind === "warned" || heldAfterwards === true) return;

      // The next honest run succeeds.
      service.server.faults.clear();
      service.clock.advance(LEASE_MS);
      const honest = await send(service, people());
      expect(honest.collections.accounts).toMatchObject({ stats: { sent: COUNT } });
      expect(service.present()).toEqual(expect.arrayContaining(people().map((record) => record.id)));
    },
  );
}

/** A refused run leaves nothing behind, unless it got as far as sending records. */
function expectNothingSent(
  calls: readonly string[],
  { before, after }: Readonly<Record<"before" | "after", Inspection>>,
  reached: "start" | "records" | undefined,
): void {
  expect(calls.includes("StartSyncBatch")).toBe(reached !== undefined);
  expect(calls.includes("SyncRecords")).toBe(reached === "records");
  if (reached === undefined) expect({ calls, ...after }).toEqual({ calls: [], ...before });
  if (reached === "start") expect(after.snapshots).toEqual(before.snapshots);
}

/** The receipt, the log and the threshold agree on what was removed. */
function expectReport(
  receipts: readonly RunReceipt[],
  { collection, removed, allowedBy, uncounted = false }: Extract<Ending, { kind: "reported" }>,
  lines: readonly Line[],
): void {
  const reported = receipts.map(({ collections }) => collections[collection]);
  const isCounted = !uncounted && ofSnapshots(true);
  const counted = isCounted ? removed : 0;
  expect(reported.reduce((sum, told) => sum + (told?.reported?.removed ?? 0), 0)).toBe(counted);
  for (const told of reported) {
    const { removed: gone = 0, known = 0 } = told?.expected ?? {};
    expect(told?.reported?.removed).toBe(isCounted ? gone : undefined);
    if (allowedBy === undefined) expect(gone < 3 || gone / known <= 0.25).toBe(true);
    expect(lines).toContainEqual({
      level: "info",
      message: "saas-management: snapshot judged",
      details: expect.objectContaining({ collection, held: false, removed: gone, known }),
    });
  }
}

function expectWarning(
  [receipt]: readonly RunReceipt[],
  { removed }: Extract<Ending, { kind: "warned" }>,
  lines: readonly Line[],
): void {
  expect(receipt?.collections.accounts).toMatchObject({ ...ofSnapshots({ reported: { removed } }) });
  // A service without counts doesn't report removals.
  if (ofSnapshots({}) === undefined) return;
  const surprise = expect.stringContaining(`the service removed ${removed} records of accounts`);
  expect(receipt?.surprises).toEqual([surprise]);
  expect(lines).toContainEqual({
    level: "error",
    message: surprise,
    details: {},
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

function goodRun(service: TestService): Promise<RunReceipt> {
  return service.run(["accounts", "licenses"], async (batch) => {
    await batch.write("accounts", people());
    await batch.write("licenses", licenses(0, COUNT));
  });
}

/** A run that sends the accounts in one write. */
export function send(
  service: TestService,
  source: RecordSource<Account> | ((context: RunContext) => RecordSource<Account>),
  options?: Partial<RunOptions>,
  writing?: WriteOptions,
): Promise<RunReceipt> {
  return service.run(
    ["accounts"],
    async (batch, context) => {
      await batch.write("accounts", typeof source === "function" ? source(context) : source, writing);
    },
    options,
  );
}

/** Makes a run that sends one collection in one write. */
export function sendTo<C extends SnapshotCollection>(
  service: TestService,
  collection: C,
  records: readonly RecordOf<C>[],
  options?: Partial<RunOptions>,
): Promise<RunReceipt> {
  return service.run([collection], async (batch) => void (await batch.write(collection, records)), options);
}

/** A run of the accounts one day after the previous run. */
export function sendNextDay(
  service: TestService,
  source: readonly Account[],
  options?: Partial<RunOptions>,
): Promise<RunReceipt> {
  service.clock.advance(DAY_MS);
  return send(service, source, options);
}

/**
 * A run that reads its source while another one completes.
 * @param run Makes the run; its source waits for `others` on the first call.
 */
export function overtaken(
  other: (service: TestService) => Promise<unknown>,
  run: (service: TestService, others: () => Promise<void>) => Promise<RunReceipt>,
): Pick<Attack, "prepare" | "attack"> {
  let slow: Promise<RunReceipt> | undefined;
  let goOn = () => {};
  return {
    prepare: async (service) => {
      const others = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await new Promise<void>((reads) => {
        slow = run(service, () => {
          reads();
          return others;
        });
        slow.catch(() => {});
      });
      await other(service);
    },
    attack: async () => {
      goOn();
      return (await slow) ?? [];
    },
  };
}

/** Makes a run that has read its source and waits for the lock while another run completes. */
export function behind(
  other: (service: TestService) => Promise<unknown>,
  run: (service: TestService, options: Partial<RunOptions>) => Promise<RunReceipt>,
): Pick<Attack, "prepare" | "attack"> {
  let waiting: Promise<RunReceipt> | undefined;
  return {
    prepare: async (service) => {
      const sending = service.server.faults.add({ on: "SyncRecords", fault: "delay", ms: 60_000 });
      const first = other(service);
      await until(() => sending.fired > 0);
      await new Promise<void>((waits) => {
        const onProgress = ({ type }: SyncProgress) => void (type === "waiting-for-lock" && waits());
        waiting = run(service, { waitForLockMs: LEASE_MS, onProgress });
        waiting.catch(() => {});
      });
      service.clock.advance(60_000);
      await first;
    },
    attack: async (service) => {
      // The run tries the lock repeatedly, so the first step of the clock may come before the run waits.
      return waiting === undefined ? [] : service.clock.drive(waiting);
    },
  };
}

/** The operation fails until its retry is used up. */
export function breakTwice(
  { server }: TestService,
  operation: "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
  at: "request" | "answer" = "request",
  nth = 1,
): void {
  for (const again of [0, 1]) server.faults.add({ on: operation, nth: nth + again, fault: "drop", at });
}

/** Makes a run that the service completes without the run's knowledge. The run must not restart. */
export async function leaveUnclear(service: TestService, run: () => Promise<unknown>): Promise<void> {
  breakTwice(service, "CompleteSyncBatch", "answer");
  breakTwice(service, "AbortSyncBatch");
  await expect(run()).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  service.server.faults.clear();
  service.clock.advance(LEASE_MS);
}

/** One account. A third is inactive; the ids have a letter beyond ASCII. */
export function person(i: number) {
  return { id: `né-${i}`, name: `name ${i}`, email: `${i}@example.com`, active: i % 3 !== 0 };
}

/** The accounts of a range; all by default. */
export function people(from = 0, to = COUNT) {
  return Array.from({ length: to - from }, (_, i) => person(from + i));
}

/** All accounts with different ids. */
export function renamed(idOf: (id: string, i: number) => string) {
  return people().map((record, i) => ({ ...record, id: idOf(record.id, i) }));
}

/** A vendor's page of ten accounts. */
export async function vendorPage(
  page: number,
): Promise<{ readonly users: Account[]; readonly next: number | null }> {
  return { users: people(10 * page, 10 * page + 10), next: page === 3 ? null : page + 1 };
}
