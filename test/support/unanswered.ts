import type { Ledger, Store } from "@saas-management/sdk";
import { storeLedger } from "../../src/runs/ledger/ledger.js";
import { isState, type StoreCall, watchedStore } from "./stores.js";

/**
 * The steps in which a run uses its ledger, in order; `held` and `hold` are only for held runs. A run looks at the
 * ledger before it calls its connector, before it judges, under the lock, and when it notes its end.
 */
export type LedgerStep =
  | "look 1"
  | "read"
  | "look 2"
  | "lines"
  | "held"
  | "hold"
  | "look 3"
  | "save"
  | "look 4"
  | "note"
  | "release"
  | "discard";

/** A ledger with one step that is answered late or never. */
export interface UnansweredLedger {
  readonly ledger: Ledger;
  /** The steps that were started, in order. */
  readonly begun: readonly LedgerStep[];
  /** The steps that were completed. */
  readonly done: readonly LedgerStep[];
  /** Continues the step, and all later steps of this kind. */
  answer(): void;
}

/** Holds back the first `step` of a ledger until `answer` is called. */
export function unanswered(step: LedgerStep, below: Store): UnansweredLedger {
  const begun: LedgerStep[] = [];
  const done: LedgerStep[] = [];
  const looks: LedgerStep[] = ["look 1", "look 2", "look 3", "look 4"];
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
    const name = stepOf(call, looks);
    return name === undefined ? go() : asked(name, go);
  });
  return { ledger: storeLedger(store), begun, done, answer: () => answer() };
}

function stepOf({ method, key }: StoreCall, looks: LedgerStep[]): LedgerStep | undefined {
  const isIds = key.endsWith(".ids");
  const isList = key.endsWith("removals.txt");
  if (method === "list")
    return key.endsWith("/") ? looks.shift() : key.endsWith("/accounts.") ? "held" : undefined;
  if (method === "get") return isIds ? "lines" : isState(key) ? "read" : undefined;
  if (method === "delete") return isIds ? "discard" : isList ? "release" : undefined;
  return isIds ? "save" : isState(key) ? "note" : isList ? "hold" : undefined;
}
