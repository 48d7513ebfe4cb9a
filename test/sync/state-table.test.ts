import { readFileSync } from "node:fs";
import type { CollectionWriter, SyncBatch } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { until } from "../support/promises.js";
import { accounts } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const nothing = () => {};

/** The table of docs/reference/run-and-guard.md: what each call does in each state. */
function readTable() {
  const page = readFileSync(new URL("../../docs/reference/run-and-guard.md", import.meta.url), "utf8");
  const text = page.split("\n## States of a batch\n")[1]?.split("\n## ")[0] ?? "";
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head, ...rows] = lines.map(cells);
  if (head?.[0] !== "state") throw new Error("The reference has no table of states");
  return rows.flatMap(([state = "", ...expected]) =>
    expected.map((cell, i) => ({ state, call: head[i + 1] ?? "", cell })),
  );
}

interface Prepared {
  readonly batch: SyncBatch;
  /** A writer that was opened before the batch reached its state. */
  readonly users: CollectionWriter<"accounts"> | undefined;
  /** Waits until everything under way has ended. */
  readonly release: () => void;
}

/** Brings a batch to the state, with an open collection if the call needs one. */
const PREPARE: Readonly<Record<string, (withOpen: boolean) => Promise<Prepared>>> = {
  active: async (withOpen) => opened(await started(), withOpen),
  incomplete: async (withOpen) => {
    const prepared = opened(await harness.startBatch(), withOpen);
    await prepared.batch.write("plans", [BROKEN]).catch(nothing);
    return prepared;
  },
  completing: async (withOpen) => {
    const prepared = await sealed(withOpen);
    const release = harness.server.hold("CompleteSyncBatch");
    prepared.batch.complete().catch(nothing);
    await until(() => harness.server.calls.includes("CompleteSyncBatch"));
    return { ...prepared, release };
  },
  completed: async (withOpen) => {
    const prepared = await sealed(withOpen);
    await prepared.batch.complete();
    return prepared;
  },
  aborting: async (withOpen) => {
    const prepared = opened(await harness.startBatch(), withOpen);
    const release = harness.server.hold("AbortSyncBatch");
    prepared.batch.abort().catch(nothing);
    await until(() => harness.server.calls.includes("AbortSyncBatch"));
    return { ...prepared, release };
  },
  aborted: async (withOpen) => {
    const prepared = opened(await harness.startBatch(), withOpen);
    await prepared.batch.abort();
    return prepared;
  },
  expired: async (withOpen) => {
    const clock = new TestClock({ startAt: new Date(0) });
    const prepared = opened(await harness.startBatch({ clock }), withOpen);
    clock.advance(15 * 60_000);
    return prepared;
  },
  unknown: async (withOpen) => {
    const prepared = await sealed(withOpen);
    harness.server.scripts.CompleteSyncBatch.push(LOST, LOST, LOST);
    await prepared.batch.complete().catch(nothing);
    return prepared;
  },
  closed: async (withOpen) => {
    const prepared = opened(await harness.startBatch(), withOpen);
    prepared.batch.close();
    return prepared;
  },
};

const BROKEN = { id: "", externalPlanName: "a", details: { model: "SEAT_BASED", seatBased: {} } } as const;

function opened(batch: SyncBatch, withOpen: boolean): Prepared {
  return { batch, users: withOpen ? batch.writer("accounts") : undefined, release: nothing };
}

/** A batch that has received a write. */
async function started(): Promise<SyncBatch> {
  const batch = await harness.startBatch();
  await batch.write("usage", []);
  return batch;
}

async function sealed(withOpen: boolean): Promise<Prepared> {
  const prepared = opened(await started(), withOpen);
  await prepared.users?.end();
  return prepared;
}

const CALLS: Readonly<Record<string, (prepared: Prepared) => Promise<unknown>>> = {
  write: ({ batch }) => batch.write("accounts", accounts(1)),
  writer: async ({ batch }) => batch.writer("accounts"),
  "writer.write": async ({ users }) => users?.write(accounts(1)),
  "writer.end": async ({ users }) => users?.end(),
  complete: ({ batch }) => batch.complete(),
  abort: ({ batch }) => batch.abort(),
  close: async ({ batch }) => batch.close(),
};

const table = readTable();

test("the table of states has every state and every call", () => {
  expect(new Set(table.map(({ state }) => state))).toEqual(new Set(Object.keys(PREPARE)));
  expect(new Set(table.map(({ call }) => call))).toEqual(new Set(Object.keys(CALLS)));
  expect(table).toHaveLength(63);
});

test.each(table)("a batch that is $state answers $call with $cell", async ({ state, call, cell }) => {
  const prepared = await PREPARE[state]?.(call.startsWith("writer."));
  if (prepared === undefined) throw new Error(state);
  const { batch, release } = prepared;
  const known = { incomplete: "active" };
  expect(batch.state).toBe(Reflect.get(known, state) ?? state);
  const outcome = CALLS[call]?.(prepared).then(
    () => "ok",
    (error: { code: string; reason?: string }) => error.reason ?? error.code,
  );
  release();
  const [refused = "", after] = cell.split("→ ");
  expect(await outcome).toBe(refused.trim() || "ok");
  if (after !== undefined) expect(batch.state).toBe(after);
});
