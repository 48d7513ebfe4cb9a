import { readFileSync } from "node:fs";
import { type SyncBatch, TestClock } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { accounts, until, useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();
const LOST = { code: 14, details: "connection dropped" };
const nothing = () => {};

/** The table of docs/sync.md: what each call does in each state. */
function readTable() {
  const text = readFileSync(new URL("../../docs/sync.md", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head, ...rows] = lines.map(cells);
  if (head?.[0] !== "state") throw new Error("docs/sync.md has no table of states");
  return rows.flatMap(([state = "", ...expected]) =>
    expected.map((cell, i) => ({ state, call: head[i + 1] ?? "", cell })),
  );
}

interface Prepared {
  readonly batch: SyncBatch;
  /** Lets whatever is under way end. */
  readonly release: () => void;
}

/** A gate that a scripted answer waits at. */
function gate() {
  let open = nothing;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

const PREPARE: Readonly<Record<string, () => Promise<Prepared>>> = {
  active: async () => ({ batch: await harness.startBatch(), release: nothing }),
  incomplete: async () => {
    const batch = await harness.startBatch();
    await batch.write("accounts", [{ generic: { id: "" } }]).catch(nothing);
    return { batch, release: nothing };
  },
  completing: async () => {
    const batch = await harness.startBatch();
    const { open, opened } = gate();
    harness.server.beforeCompletion = () => opened;
    batch.complete().catch(nothing);
    await until(() => harness.server.calls.includes("CompleteSyncBatch"));
    return { batch, release: open };
  },
  completed: async () => {
    const batch = await harness.startBatch();
    await batch.complete();
    return { batch, release: nothing };
  },
  aborting: async () => {
    const batch = await harness.startBatch();
    const { open, opened } = gate();
    harness.server.beforeAbort = () => opened;
    batch.abort().catch(nothing);
    await until(() => harness.server.calls.includes("AbortSyncBatch"));
    return { batch, release: open };
  },
  aborted: async () => {
    const batch = await harness.startBatch();
    await batch.abort();
    return { batch, release: nothing };
  },
  expired: async () => {
    const clock = new TestClock({ startAt: 0 });
    const batch = await harness.startBatch({ clock });
    clock.advance(15 * 60_000);
    return { batch, release: nothing };
  },
  unknown: async () => {
    const batch = await harness.startBatch();
    harness.server.scripts.CompleteSyncBatch.push(LOST, LOST, LOST);
    await batch.complete().catch(nothing);
    return { batch, release: nothing };
  },
  closed: async () => {
    const batch = await harness.startBatch();
    batch.close();
    return { batch, release: nothing };
  },
};

const CALLS: Readonly<Record<string, (batch: SyncBatch) => Promise<unknown>>> = {
  write: (batch) => batch.write("accounts", accounts(1)),
  open: async (batch) => batch.open("accounts"),
  complete: (batch) => batch.complete(),
  abort: (batch) => batch.abort(),
  close: async (batch) => batch.close(),
};

describe("the table of states in docs/sync.md", () => {
  const table = readTable();

  it("has every state and every call", () => {
    expect(new Set(table.map(({ state }) => state))).toEqual(new Set(Object.keys(PREPARE)));
    expect(new Set(table.map(({ call }) => call))).toEqual(new Set(Object.keys(CALLS)));
    expect(table).toHaveLength(45);
  });

  it.each(table)("$state: $call is $cell", async ({ state, call, cell }) => {
    const prepared = await PREPARE[state]?.();
    if (prepared === undefined) throw new Error(state);
    const { batch, release } = prepared;
    if (state !== "incomplete") expect(batch.state).toBe(state);
    const outcome = CALLS[call]?.(batch).then(
      () => "ok",
      (error: { code: string; reason?: string }) => [error.code, error.reason].filter(Boolean).join(" "),
    );
    release();
    const [expected, after] = cell.split(" → ");
    expect(await outcome).toBe(expected);
    if (after !== undefined) expect(batch.state).toBe(after);
  });
});
