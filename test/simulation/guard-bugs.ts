import type { Bug } from "./bug.js";

/** Bugs of the guard, approvals and watermarks: the runs of the simulation in memory have to catch them. */
export const GUARD_BUGS: readonly Bug[] = [
  {
    name: "the rule removed is off",
    file: "sync/guard/verdict.ts",
    right: "if (isHeld(compared, rule)) find(",
    wrong: "if (isHeld(compared, rule) && pasts.length < 0) find(",
  },
  {
    name: "the rule window is off",
    file: "sync/guard/verdict.ts",
    right: "else if (rule.window !== false) find(",
    wrong: "else if (rule.window !== false && pasts.length < 0) find(",
  },
  {
    name: "the rule added is off",
    file: "sync/guard/verdict.ts",
    right: "if (rule.added !== false) find",
    wrong: "if (rule.added !== false && pasts.length < 0) find",
  },
  {
    name: "a run without a baseline passes",
    file: "sync/guard/judge.ts",
    right: "ledger !== undefined && firstRun !== true &&",
    wrong: "ledger === undefined && firstRun !== true &&",
  },
  {
    name: "an approval leaves earlier snapshots as they are",
    file: "sync/ledger/past.ts",
    right: "const allowed = approved.flatMap(supersededBy);",
    wrong: "const allowed = approved.slice(approved.length).flatMap(supersededBy);",
  },
  {
    name: "the ids of an unclear completion are dropped when its abort succeeds",
    file: "sync/run/send.ts",
    right: 'const outcome = abort === "aborted" && unclear !== undefined ? "unknown" : abort;',
    wrong: "const outcome = abort;",
  },
  {
    name: "the ids of an unclear completion are dropped",
    file: "sync/guard/run-guard.ts",
    right: '(drafts.areSaved && outcome !== "aborted")) return;',
    wrong: '(drafts.areSaved && outcome === "completed")) return;',
  },
];

/** Bugs that the simulation cannot draw, or draws too seldom, and the attack that catches each. */
export const ATTACK_BUGS: readonly (Bug & { readonly attack: string; readonly in: string })[] = [
  {
    name: "the rule changed is off",
    file: "sync/guard/verdict.ts",
    right: "const changed = rule.changed ?",
    wrong: "const changed = rule.changed && pasts.length < 0 ?",
    attack: "a field is null in all records",
    in: "fields",
  },
  {
    name: "values that become others pass",
    file: "sync/guard/changed.ts",
    right: "return isOther ? changed : undefined;",
    wrong: "return isOther && had < 0 ? changed : undefined;",
    attack: "the records are those of other people",
    in: "fields",
  },
  {
    name: "a used approval stays valid",
    file: "sync/ledger/run-log.ts",
    right: "await ledger.delete(own.filter(isList));",
    wrong: "void isList;",
    attack: "an approval is used in a run whose answer is lost, and the records come back before the next",
    in: "approvals",
  },
  {
    name: "a used approval is released in one collection only",
    file: "sync/ledger/run-log.ts",
    right: "await ledger.delete(own.filter(isList));",
    wrong: "await ledger.delete(own.filter(isList).slice(0, 1));",
    attack: "an approval that was used for accounts is used again for licenses",
    in: "trials",
  },
  {
    name: "the state of the ledger is read after the connector has begun",
    file: "sync/run/run.ts",
    right:
      "const extracted = { ...(await this.#extract(spool)), state };\n      // 3 Read the ledger again, and judge all snapshots together. Held: nothing was sent.\n      if ((await this.#readState()) !== state) return undefined;",
    wrong: "const extracted = { ...(await this.#extract(spool)), state: await this.#readState() };",
    attack: "no moment at which another run is completed",
    in: "../overlap",
  },
  {
    name: "a write is taken in after the connector has returned",
    file: "sync/run/extract.ts",
    right: "if (this.signal.aborted || this.#hasReturned) {",
    wrong: "if (this.signal.aborted) {",
    attack: "a function with two writes is not awaited",
    in: "function",
  },
  {
    name: "nothing is compared under the lock",
    file: "sync/run/send.ts",
    right: 'if ((await raceAbort(readState(), batch.signal)) !== state) type = "outdated";',
    wrong: 'if ((await raceAbort(readState(), batch.signal)) === "") type = "outdated";',
    attack: "no moment at which another run is completed",
    in: "../overlap",
  },
  {
    name: "a watermark of a later run is replaced",
    file: "sync/run/watermarks.ts",
    right: 'if (lastOf(earlier, "")?.key !== before.get(collection)?.key) continue;',
    wrong: 'if (lastOf(earlier, "")?.key === collection) void before;',
    attack: "a completed run keeps a watermark that a later one has stored",
    in: "../overlap",
  },
];
