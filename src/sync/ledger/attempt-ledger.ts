import { raceAbort } from "../../core/abort.js";
import type { KnownIds, Ledger, LedgerDraft } from "./ledger.js";

/**
 * A ledger as one attempt of a run has it. A ledger may be a disk or a database that does not answer: what it is asked
 * ends with the attempt, it is asked nothing afterwards, and an answer that comes afterwards is not used.
 * @param ended Fires when the attempt's batch is of no more use; what is asked rejects with its reason.
 * @param onLateFailure Called with what kept a draft that came too late from being discarded.
 */
export function attemptLedger(
  ledger: Ledger,
  ended: AbortSignal,
  onLateFailure: (error: unknown) => void,
): Ledger {
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    ended.throwIfAborted();
    return raceAbort(Promise.resolve(question()), ended);
  };
  return {
    keyOf: ledger.keyOf?.bind(ledger),
    known: async (scope) => {
      const known = await ask(() => ledger.known(scope));
      // What is no list is for the one who asked to refuse.
      return Array.isArray(known) ? known.map((ids: KnownIds) => readUntil(ended, ids)) : known;
    },
    draft: async (scope, batchId) => {
      ended.throwIfAborted();
      const begun = Promise.resolve(ledger.draft(scope, batchId));
      try {
        return attemptDraft(await raceAbort(begun, ended), ended);
      } catch (error) {
        if (ended.aborted) begun.then((late) => late.discard().catch(onLateFailure)).catch(() => {});
        throw error;
      }
    },
    hold: (scope, approval) => ask(() => ledger.hold(scope, approval)),
    held: (scope) => ask(() => ledger.held(scope)),
    release: (scope) => ask(() => ledger.release(scope)),
  };
}

/** What cleans up after the batch is not bound to it: it begins when the batch has ended. */
function attemptDraft(draft: LedgerDraft, ended: AbortSignal): LedgerDraft {
  const writes = new DraftWrites();
  let saving: Promise<void> = Promise.resolve();
  const save = async () => {
    await writes.done();
    ended.throwIfAborted();
    await draft.save();
  };
  return {
    write: (lines) => writes.add(draft.write(lines)),
    async *read() {
      await raceAbort(writes.done(), ended);
      yield* piecesUntil(ended, () => draft.read());
    },
    save: async () => {
      ended.throwIfAborted();
      saving = save();
      await raceAbort(saving, ended);
    },
    promote: () => draft.promote(),
    discard: async () => {
      // Ids that are being kept would otherwise be kept after they were forgotten, and stay.
      await saving.catch(() => {});
      await writes.done().catch(() => {});
      await draft.discard();
    },
  };
}

/** What a draft's `write` returned. Its type says nothing; an asynchronous function fits it all the same. */
class DraftWrites {
  #done: Promise<unknown> = Promise.resolve();

  add(returned: unknown): void {
    if (returned === undefined) return;
    this.#done = Promise.all([this.#done, returned]);
    // It is asked for when everything was written.
    this.#done.catch(() => {});
  }

  /** Rejects with the first failure. */
  async done(): Promise<void> {
    await this.#done;
  }
}

/** Ids of which no more are read when the attempt has ended. */
function readUntil(ended: AbortSignal, ids: KnownIds): KnownIds {
  return {
    state: ids.state,
    lines: () => piecesUntil(ended, () => ids.lines()),
  };
}

async function* piecesUntil(
  ended: AbortSignal,
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  ended.throwIfAborted();
  for await (const lines of read()) {
    ended.throwIfAborted();
    yield lines;
  }
}
