import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import type { IdTable } from "../ids/id-table.js";
import type { HoldReason, KnownIds, Ledger, LedgerDraft, LedgerScope } from "../ledger/ledger.js";
import type { Baseline, SnapshotFigures } from "../progress.js";
import { type Comparison, compareIds, figuresOf } from "./comparison.js";
import { exceeds, isHeld, type ResolvedRule } from "./rules.js";
import { SnapshotIds } from "./snapshot-ids.js";

/** The rules that a snapshot is judged by. */
export interface SnapshotRules {
  /** Undefined if the guard is off. */
  readonly rule: ResolvedRule | undefined;
  readonly requireBaseline: boolean;
}

/** The result of judging a snapshot. */
export interface SnapshotJudgement {
  readonly figures: SnapshotFigures;
  readonly compared: Comparison;
  /** Why it is held; undefined if it is not. */
  readonly held: HoldReason | undefined;
  /** Whether the ids that earlier attempts of the run sent are enough to hold it. */
  readonly heldSinceAttempt: boolean;
  /** Why the ledger cannot be read. */
  readonly problem: unknown;
}

/** One snapshot collection of an attempt: the ids that were sent, and those that were known before. */
export class GuardedSnapshot {
  readonly scope: LedgerScope;
  /** The ids that were sent. */
  readonly ids: SnapshotIds;
  /** The known ids as far as they can be read; empty before `judge`. */
  knownIds: readonly KnownIds[] = [];
  readonly #ledger: Ledger | undefined;
  readonly #draft: LedgerDraft | undefined;
  /** Fires when the batch has ended; then nothing more is saved. */
  readonly #ended: AbortSignal | undefined;
  #written: Promise<unknown> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();

  private constructor(scope: LedgerScope, ledger?: Ledger, draft?: LedgerDraft, ended?: AbortSignal) {
    this.scope = scope;
    this.#ledger = ledger;
    this.#draft = draft;
    this.#ended = ended;
    const keyOf = ledger?.keyOf?.bind(ledger);
    this.ids = new SnapshotIds({
      write: draft === undefined ? undefined : (lines) => this.#write(draft, lines),
      keyOf: keyOf === undefined ? undefined : (id) => this.#writable(() => keyOf(scope, id)),
    });
  }

  /**
   * Creates a snapshot whose ids are collected in the ledger, if there is one.
   * @param ended Fires when the batch has ended.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  static async begin(
    scope: LedgerScope,
    ledger: Ledger | undefined,
    batchId: string,
    ended: AbortSignal,
  ): Promise<GuardedSnapshot> {
    try {
      return new GuardedSnapshot(scope, ledger, await ledger?.draft(scope, batchId), ended);
    } catch (error) {
      throw unwritable(scope, error);
    }
  }

  /** Creates a snapshot that is compared only. */
  static preview(scope: LedgerScope, ledger: Ledger | undefined): GuardedSnapshot {
    return new GuardedSnapshot(scope, ledger);
  }

  /**
   * Compares the ids that were sent with the known ones, when all were sent.
   * @param earlier Ids that earlier attempts of the same run sent.
   */
  async judge(
    { rule, requireBaseline }: SnapshotRules,
    earlier: IdTable | undefined,
  ): Promise<SnapshotJudgement> {
    const { table, duplicates } = this.ids;
    let baseline: Baseline = "off";
    let compared: Comparison;
    let problem: unknown;
    try {
      // Spread, so that a broken ledger without a list does not count as an empty one.
      const known = this.#ledger === undefined ? [] : [...(await this.#ledger.known(this.scope))];
      this.#ended?.throwIfAborted();
      this.knownIds = known;
      compared = await compareIds(table, this.knownIds, earlier);
      if (this.#ledger !== undefined) baseline = baselineOf(this.knownIds);
    } catch (error) {
      problem = error;
      baseline = "unreadable";
      this.knownIds = await readableOf(this.knownIds, table);
      compared = await compareIds(table, this.knownIds, earlier);
    }
    const held = (): HoldReason | undefined => {
      if (rule === undefined) return undefined;
      if (baseline === "unreadable") return "unreadable-ledger";
      if (baseline === "none" && requireBaseline) return "no-baseline";
      return isHeld(compared, rule) ? "removals" : undefined;
    };
    const { sent, gone, all } = compared;
    const sinceAttempt = { known: earlier?.size ?? 0, sent, gone: all.gone - gone };
    return {
      figures: figuresOf(compared, baseline, duplicates),
      compared,
      held: held(),
      heldSinceAttempt: rule !== undefined && exceeds(sinceAttempt, rule),
      problem,
    };
  }

  /** Yields the ids that were sent, as lines. */
  async *sentLines(): AsyncGenerator<Uint8Array, void, undefined> {
    this.ids.flush();
    await this.#written;
    if (this.#draft !== undefined) yield* this.#draft.read();
  }

  /** Saves the ids, before CompleteSyncBatch is sent. */
  async save(): Promise<void> {
    try {
      this.ids.flush();
      await this.#written;
      this.#ended?.throwIfAborted();
      this.#saving = this.#draft?.save() ?? this.#saving;
      await this.#saving;
    } catch (error) {
      throw unwritable(this.scope, error);
    }
  }

  /** Makes the ids the known ones: the batch was completed. */
  async promote(): Promise<void> {
    await this.#draft?.promote();
  }

  /** Forgets the ids: the batch was not completed. */
  async discard(): Promise<void> {
    // Ids that are being saved would otherwise be saved after they were discarded.
    await Promise.allSettled([this.#saving, this.#written]);
    await this.#draft?.discard();
  }

  /** The `write` of a user's ledger may be asynchronous. */
  #write(draft: LedgerDraft, lines: Uint8Array): void {
    const returned: unknown = this.#writable(() => draft.write(lines));
    if (returned === undefined) return;
    this.#written = Promise.all([this.#written, returned]);
    this.#written.catch(() => {});
  }

  #writable<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw unwritable(this.scope, error);
    }
  }
}

/** The sets that can be read to their ends. */
async function readableOf(knownIds: readonly KnownIds[], table: IdTable): Promise<readonly KnownIds[]> {
  const readable: KnownIds[] = [];
  for (const ids of knownIds) {
    try {
      await compareIds(table, [ids]);
      readable.push(ids);
    } catch {
      // The other sets may be readable.
    }
  }
  return readable;
}

function baselineOf(knownIds: readonly KnownIds[]): Baseline {
  if (knownIds.some(({ state }) => state === "unclear")) return "unclear";
  return knownIds.length === 0 ? "none" : "ledger";
}

function unwritable({ collection }: LedgerScope, cause: unknown): SaasManagementError {
  if (cause instanceof SaasManagementError) return cause;
  return new ConfigurationError(
    `The ledger could not store the ids of ${collection}; nothing was completed. See the error's cause. For a fileLedger, check its directory and the free disk space.`,
    { cause },
  );
}
