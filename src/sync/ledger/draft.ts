import { PassThrough } from "node:stream";
import type { Lines } from "./entry.js";
import type { Store } from "./ledger.js";

/** What a draft does with its store. */
export interface DraftSteps {
  put(lines: Lines, onBegun: () => void): Promise<void>;
  read(): Lines;
  promote(): Promise<void>;
  discard(): Promise<void>;
}

/** The ids of one snapshot, which go to the store while the snapshot is written. */
export class LedgerDraft {
  /** Resolves when the store takes ids; rejects if it cannot. */
  readonly begun: Promise<void>;
  readonly #steps: DraftSteps;
  readonly #lines = new PassThrough();
  readonly #stored: Promise<void>;

  constructor(steps: DraftSteps) {
    this.#steps = steps;
    this.#lines.on("error", () => {});
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    this.#stored = steps.put(this.#lines, begin);
    // Nobody takes the ids any more.
    this.#stored.catch(() => this.#lines.destroy());
    this.begun = Promise.race([begun, this.#stored]);
  }

  /** Takes whole lines; their bytes belong to the draft from now on. */
  write(lines: Uint8Array): void {
    this.#lines.write(lines);
  }

  /** Stores the ids durably as unclear ones. CompleteSyncBatch is sent next. */
  async save(): Promise<void> {
    this.#lines.end();
    await this.#stored;
  }

  /** Saves the ids, and yields them. */
  async *read(): Lines {
    await this.save();
    yield* this.#steps.read();
  }

  /** The batch was completed. */
  promote(): Promise<void> {
    return this.#steps.promote();
  }

  /** The batch was not completed: forgets the ids, also those that are being stored. */
  async discard(): Promise<void> {
    this.#lines.destroy(new Error("The ids of this snapshot are not needed any more."));
    await this.#stored.catch(() => {});
    await this.#steps.discard();
  }
}

/**
 * Puts the value of a new key.
 * @param onBegun Called when the store begins to read it.
 * @throws the store failed, did not read all of it, or has a value already
 */
export async function putWhole(store: Store, key: string, value: Lines, onBegun = () => {}): Promise<void> {
  let isWhole = false;
  const whole = async function* () {
    onBegun();
    yield* value;
    isWhole = true;
  };
  const isNew: unknown = await store.putIfAbsent(key, whole());
  if (isNew !== true) throw new Error(`The store has a value for ${key} already.`);
  if (!isWhole) throw new Error(`The store has not read the whole value of ${key}.`);
}
