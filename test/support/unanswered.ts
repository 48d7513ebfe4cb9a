import type { Ledger, Store } from "@saas-management/sdk";
import { storeLedger } from "../../src/sync/ledger/ledger.js";
import { type StoreCall, watchedStore } from "./stores.js";

/** What a run asks its ledger for: `state` three times, `held` and `hold` if it is held, the others in this order. */
export type LedgerStep =
  | "state"
  | "watermarks"
  | "state again"
  | "known"
  | "lines"
  | "pasts"
  | "held"
  | "hold"
  | "state under the lock"
  | "draft"
  | "begin"
  | "save"
  | "promote"
  | "release"
  | "discard"
  | "receipts";

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
export function unanswered(step: LedgerStep, below: Store): UnansweredLedger {
  const begun: LedgerStep[] = [];
  const done: LedgerStep[] = [];
  const states: LedgerStep[] = ["state", "state again", "state under the lock"];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const begin = async (name: LedgerStep): Promise<void> => {
    begun.push(name);
    if (name === step && begun.filter((other) => other === step).length === 1) await answered;
  };
  const asked = async <T>(name: LedgerStep, question: () => Promise<T>): Promise<T> => {
    await begin(name);
    const result = await question();
    done.push(name);
    return result;
  };
  const store = watchedStore(below, async (call, go) => {
    const name = stepOf(call, states, begun);
    if (name === undefined) return go();
    if (name !== "save") return asked(name, go);
    await begin("begin");
    const result = await go();
    await asked("save", async () => {});
    return result;
  });
  return { ledger: storeLedger(store), begun, done, answer: () => answer() };
}

function stepOf(
  { method, key }: StoreCall,
  states: LedgerStep[],
  begun: readonly LedgerStep[],
): LedgerStep | undefined {
  const isIds = key.endsWith(".ids");
  const isList = key.endsWith("removals.txt");
  if (method === "list") {
    if (key.endsWith("/")) return states.shift();
    if (key.endsWith("/watermark.")) return "watermarks";
    if (key.endsWith("/runs.")) return "receipts";
    if (begun.includes("state under the lock")) return begun.includes("draft") ? undefined : "draft";
    return begun.includes("known") ? "held" : "known";
  }
  if (method === "get") return isIds ? "lines" : key.endsWith("completed") ? "pasts" : undefined;
  if (method === "delete") return isIds ? "discard" : isList ? "release" : undefined;
  return isIds ? "save" : key.endsWith("completed") ? "promote" : isList ? "hold" : undefined;
}
