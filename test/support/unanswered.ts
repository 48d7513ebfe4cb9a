import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Ledger } from "@saas-management/sdk";
import type { KnownIds, LedgerDraft } from "../../src/sync/ledger/ledger.js";

/** The methods of a ledger, and reading its known ids. */
export type LedgerStep = Exclude<keyof (Ledger & LedgerDraft), "keyOf" | "write" | "read"> | "lines";

/** A ledger with one step that is answered late or never. */
export interface UnansweredLedger {
  readonly ledger: Ledger;
  /** The steps that were started, in order. */
  readonly begun: readonly LedgerStep[];
  /** The steps that were completed. */
  readonly done: readonly LedgerStep[];
  /** Continues the step, and all later ones of its kind. */
  answer(): void;
}

/** Holds the first `step` of a ledger back until `answer` is called. */
export function unanswered(step: LedgerStep, below: Ledger): UnansweredLedger {
  const begun: LedgerStep[] = [];
  const done: LedgerStep[] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked = async <T>(name: LedgerStep, question: () => Promise<T>): Promise<T> => {
    begun.push(name);
    if (name === step && begun.filter((other) => other === step).length === 1) await answered;
    const result = await question();
    done.push(name);
    return result;
  };
  const read = (ids: KnownIds): KnownIds => ({
    state: ids.state,
    async *lines() {
      await asked("lines", async () => {});
      yield* ids.lines();
    },
  });
  const ledger: Ledger = {
    known: (scope) => asked("known", async () => (await below.known(scope)).map(read)),
    draft: (scope, batchId) =>
      asked("draft", async () => {
        const draft = await below.draft(scope, batchId);
        return {
          write: (lines) => draft.write(lines),
          read: () => draft.read(),
          save: () => asked("save", () => draft.save()),
          promote: () => asked("promote", () => draft.promote()),
          discard: () => asked("discard", () => draft.discard()),
        };
      }),
    hold: (scope, approval) => asked("hold", () => below.hold(scope, approval)),
    held: (scope) => asked("held", () => below.held(scope)),
    release: (scope) => asked("release", () => below.release(scope)),
  };
  return { ledger, begun, done, answer: () => answer() };
}

/**
 * Stops all file access of this process: every thread of the pool waits for a pipe that has no writer.
 * @param directory for the pipe
 * @returns resumes the access
 */
export function stopDisks(directory: string): () => Promise<void> {
  const pipe = join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  const threads = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);
  const waiting = Array.from({ length: threads }, () => open(pipe, "r"));
  return async () => {
    // The writer itself does not wait.
    const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    for (const reader of waiting) await (await reader).close();
    closeSync(writer);
  };
}
