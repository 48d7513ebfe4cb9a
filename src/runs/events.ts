import { createHash } from "node:crypto";
import { raceAbort } from "../core/abort.js";
import { InvalidInputError } from "../core/errors/index.js";
import { describeType } from "../core/validate.js";
import {
  COLLECTIONS,
  type Collection,
  type CollectionInfo,
  type EventCollection,
  isCollection,
  isSnapshot,
  unknownCollectionError,
} from "../sync/collections.js";
import type { RecordInspector } from "../sync/encoding/record-inspector.js";
import { IdTable } from "../sync/ids/id-table.js";
import type { WriteReport } from "../sync/write/options.js";
import type { RunContext } from "./connector.js";
import { tableOf } from "./guard/comparison.js";
import type { IdLog } from "./guard/snapshot.js";
import { SnapshotIds } from "./guard/snapshot-ids.js";
import { CollectionLedger, type SnapshotLines } from "./ledger/collection-ledger.js";
import type { InstallationLedger } from "./ledger/installation-ledger.js";
import type { LedgerSnapshot } from "./ledger/state.js";
import { noLines } from "./ledger/value.js";

const MAX_CHARACTERS = 1000;
/** Length of the hash that stands for an event without an id. */
const HASH_BYTES = 16;

/** The ids of one collection's events: those that this run has written, and those that the last run sent. */
interface EventIds {
  readonly own: SnapshotIds;
  readonly known: IdTable;
}

/**
 * What the ledger remembers of events, so that a run continues where the last one ended: watermarks, and the ids of the
 * events that were sent.
 */
export class EventMemory implements Pick<RunContext, "watermark" | "advance"> {
  /** The watermarks that the connector advanced to, by the wire names of the collections. */
  readonly advanced: Record<string, string> = {};
  readonly #ledger: InstallationLedger | undefined;
  /** What the ledger had before the connector was called. */
  readonly #seen: LedgerSnapshot;
  readonly #log: IdLog | undefined;
  readonly #ended: AbortSignal;
  readonly #ids = new Map<Collection, Promise<EventIds>>();
  readonly #asked = new Set<EventCollection>();

  /**
   * @param log Undefined in a preview, which also works without a ledger, or with an unreadable one.
   */
  constructor(
    ledger: InstallationLedger | undefined,
    seen: LedgerSnapshot,
    ended: AbortSignal,
    log: IdLog | undefined,
  ) {
    this.#ledger = ledger;
    this.#seen = seen;
    this.#ended = ended;
    this.#log = log;
  }

  /** The watermarks that earlier runs committed, by the wire names of their collections. */
  get before(): Readonly<Record<string, string>> {
    return this.#seen.state.watermarks;
  }

  /** The ids of events that were written with `newOnly`. */
  get sent(): readonly SnapshotLines[] {
    const lines = (name: Collection) => this.#log?.lines(name) ?? noLines();
    return [...this.#ids.keys()].map((collection) => ({
      collection,
      lines: () => lines(collection),
      lists: {},
      pasts: [],
    }));
  }

  /** The collections whose watermark the connector has read or set. */
  get used(): readonly Collection[] {
    return [...this.#asked, ...this.#ids.keys()];
  }

  readonly watermark: RunContext["watermark"] = (name) => {
    const subject = subjectOf("watermark", name);
    if (this.#log !== undefined && this.#seen.problem !== undefined) throw this.#seen.problem;
    this.#asked.add(name);
    return this.before[subject];
  };

  readonly advance: RunContext["advance"] = (name, value) => {
    const subject = subjectOf("advance", name);
    requireValue(value);
    this.#requireLedger("advance", "the watermark");
    this.#asked.add(name);
    this.advanced[subject] = value;
  };

  /**
   * Returns the inspector for a write with `newOnly`. It skips events that were sent before, and counts them in the
   * report.
   * @param inner Inspects the remaining events.
   * @throws {InvalidInputError} the collection is a snapshot, or the run has no ledger
   * @throws {ConfigurationError} the ids of the events that were sent can't be read
   */
  async inspectorOf(
    { name, idField }: CollectionInfo,
    report: WriteReport,
    inner: RecordInspector | undefined,
  ): Promise<RecordInspector> {
    if (isSnapshot(name)) throw snapshotError("newOnly is for events", name);
    this.#requireLedger("newOnly", "the events");
    const opening = this.#ids.get(name) ?? this.#open(name, idField !== undefined);
    this.#ids.set(name, opening);
    const { own, known } = await raceAbort(opening, this.#ended);
    return {
      inspect: (encoded, record) => {
        // Only its whole contents identify an event without an id.
        if (idField === undefined) {
          encoded.idStart = encoded.start;
          encoded.idEnd = encoded.end;
        }
        const before = own.table.size;
        own.inspect(encoded);
        // A repeated event is skipped even if it differs, because the next run would skip it too.
        if (own.table.size > before && !own.isLastIn(known)) return inner?.inspect(encoded, record);
        report.skipped += 1;
        return false;
      },
      ...(inner?.invalid === undefined ? {} : { invalid: (issues) => inner.invalid?.(issues) }),
    };
  }

  /** Stores the last ids, once the connector has returned. */
  async flush(): Promise<void> {
    for (const ids of this.#ids.values()) (await ids).own.flush();
  }

  async #open(name: Collection, hasIds: boolean): Promise<EventIds> {
    const ledger = this.#ledger && new CollectionLedger(this.#ledger, name, this.#ended);
    const log = this.#log;
    const keyOf = ledger?.keyOf;
    const own = new SnapshotIds({
      sampler: undefined,
      write: log && ((lines, done) => log.appendLines(name, lines, done)),
      keyOf: hasIds ? keyOf : (contents) => keyOf?.(hashOf(contents)) ?? hashOf(contents),
    });
    return { own, known: await this.#known(ledger) };
  }

  async #known(ledger: CollectionLedger | undefined): Promise<IdTable> {
    const read = async (seen: LedgerSnapshot) => {
      // A run that may have been completed doesn't count, just as with watermarks: its events are sent again.
      const known = ledger?.known(seen).find(({ state }) => state === "completed");
      return known === undefined ? new IdTable() : tableOf(known.lines());
    };
    try {
      // Tries again, because another run may have replaced the ids in the meantime. If so, this run is outdated.
      return await read(this.#seen).catch(async () => read((await ledger?.read()) ?? this.#seen));
    } catch (error) {
      if (this.#log === undefined) return new IdTable();
      throw error;
    }
  }

  #requireLedger(call: string, what: string): void {
    if (this.#ledger !== undefined || this.#log === undefined) return;
    const text = "use fileLedger(directory)";
    throw new InvalidInputError(`${call} needs a ledger to remember ${what}: ${text} instead of "none".`, {
      advice: { option: "ledger", text },
    });
  }
}

function hashOf(contents: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update(contents).digest();
  return Buffer.from(hash.subarray(0, HASH_BYTES).toString("base64url"));
}

function subjectOf(call: string, name: EventCollection): string {
  // Untyped callers may pass anything.
  if (!isCollection(name)) throw unknownCollectionError(name);
  if (COLLECTIONS[name].model === "event") return COLLECTIONS[name].wireName;
  throw snapshotError(`${call} takes a collection of events`, name);
}

function snapshotError(what: string, name: string): InvalidInputError {
  return new InvalidInputError(`${what}. ${name} is a snapshot, and each run sends all of a snapshot.`);
}

function requireValue(value: unknown): void {
  if (typeof value === "string" && value !== "" && value.length <= MAX_CHARACTERS) return;
  const got = typeof value === "string" ? `one of ${value.length} characters` : describeType(value);
  throw new InvalidInputError(`The value of advance must be a string of 1 to 1,000 characters, got ${got}.`);
}
