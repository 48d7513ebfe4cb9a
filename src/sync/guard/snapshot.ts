import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import type { IdTable } from "../ids/id-table.js";
import type { HoldReason, KnownIds, Ledger, LedgerDraft, LedgerScope } from "../ledger/ledger.js";
import { SnapshotIds } from "../ledger/snapshot-ids.js";
import type { Baseline, SnapshotFigures } from "../progress.js";
import { type Comparison, compareIds } from "./comparison.js";
import { exceeds, isHeld, type ResolvedRule } from "./rules.js";
import { figuresOf } from "./snapshot-figures.js";

/** What a snapshot is judged by. */
export interface SnapshotRules {
  /** Undefined where the guard is off. */
  readonly rule: ResolvedRule | undefined;
  readonly requireBaseline: boolean;
}

/** What was found out about a snapshot. */
export interface SnapshotJudgement {
  readonly figures: SnapshotFigures;
  readonly compared: Comparison;
  /** Why it is held; undefined where it is not. */
  readonly held: HoldReason | undefined;
  /** Whether what an earlier attempt of the run had sent is alone enough to hold it. */
  readonly heldSinceAttempt: boolean;
  /** What is wrong with the ledger, where it cannot be read. */
  readonly problem: unknown;
}

/** One snapshot collection of an attempt: its ids as they were sent, and those that were known before. */
export class GuardedSnapshot {
  readonly scope: LedgerScope;
  /** The ids that were sent. */
  readonly ids: SnapshotIds;
  /** The ids that were known, as far as they can be read; none before `judge`. */
  knownIds: readonly KnownIds[] = [];
  readonly #ledger: Ledger | undefined;
  readonly #draft: LedgerDraft | undefined;

  private constructor(scope: LedgerScope, ledger: Ledger | undefined, draft: LedgerDraft | undefined) {
    this.scope = scope;
    this.#ledger = ledger;
    this.#draft = draft;
    const keyOf = ledger?.keyOf?.bind(ledger);
    const writable = <T>(step: () => T): T => {
      try {
        return step();
      } catch (error) {
        throw unwritable(scope, error);
      }
    };
    this.ids = new SnapshotIds({
      write: draft === undefined ? undefined : (lines) => writable(() => draft.write(lines)),
      keyOf: keyOf === undefined ? undefined : (id) => writable(() => bytesOf(keyOf(scope, id))),
    });
  }

  /** A snapshot whose ids are taken down in the ledger, where there is one. */
  static async begin(
    scope: LedgerScope,
    ledger: Ledger | undefined,
    batchId: string,
  ): Promise<GuardedSnapshot> {
    let draft: LedgerDraft | undefined;
    try {
      draft = await ledger?.draft(scope, batchId);
    } catch (error) {
      throw unwritable(scope, error);
    }
    return new GuardedSnapshot(scope, ledger, draft);
  }

  /** A snapshot that is compared and not taken down. */
  static preview(scope: LedgerScope, ledger: Ledger | undefined): GuardedSnapshot {
    return new GuardedSnapshot(scope, ledger, undefined);
  }

  /**
   * Compares what was sent with what was known. To be called when the snapshot is whole.
   * @param earlier What earlier attempts of the same run had sent.
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
      this.knownIds = this.#ledger === undefined ? [] : listOf(await this.#ledger.known(this.scope));
      compared = await compareIds(table, this.knownIds, earlier);
      if (this.#ledger !== undefined) baseline = baselineOf(this.knownIds);
    } catch (error) {
      problem = error;
      baseline = "unreadable";
      // One damaged file is no reason to look at none of the others.
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

  /** What was sent, as lines of the ledger. */
  async *sentLines(): AsyncGenerator<Uint8Array, void, undefined> {
    this.ids.flush();
    if (this.#draft !== undefined) yield* this.#draft.read();
  }

  /** Keeps the ids, before CompleteSyncBatch is sent. */
  async save(): Promise<void> {
    try {
      this.ids.flush();
      await this.#draft?.save();
    } catch (error) {
      throw unwritable(this.scope, error);
    }
  }

  /** The batch was completed. */
  async promote(): Promise<void> {
    await this.#draft?.promote();
  }

  /** The batch was not completed. */
  async discard(): Promise<void> {
    await this.#draft?.discard();
  }
}

/** A ledger of somebody else's may say anything: what is no list must not pass for one that knows nothing. */
function listOf(known: readonly KnownIds[]): readonly KnownIds[] {
  if (Array.isArray(known)) return known;
  throw new TypeError("The ledger's known() must resolve with a list.");
}

/** Those sets that can be read to their ends. */
async function readableOf(knownIds: readonly KnownIds[], table: IdTable): Promise<readonly KnownIds[]> {
  const readable: KnownIds[] = [];
  for (const ids of knownIds) {
    const isReadable = await compareIds(table, [ids]).then(
      () => true,
      () => false,
    );
    if (isReadable) readable.push(ids);
  }
  return readable;
}

function bytesOf(key: Uint8Array): Uint8Array {
  if (key instanceof Uint8Array) return key;
  throw new TypeError("The ledger's keyOf must return bytes.");
}

function baselineOf(knownIds: readonly KnownIds[]): Baseline {
  if (knownIds.some(({ state }) => state === "unclear")) return "unclear";
  return knownIds.length === 0 ? "none" : "ledger";
}

function unwritable({ collection }: LedgerScope, cause: unknown): SaasManagementError {
  if (cause instanceof SaasManagementError) return cause;
  return new ConfigurationError(
    `The ledger could not take down the ids of ${collection}, so nothing was completed. The error's cause says why; of a fileLedger look at the directory and the space on its disk.`,
    { cause },
  );
}
