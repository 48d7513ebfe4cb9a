/** Events of which the ledger keeps the ids, so that the next run leaves out those that this one has sent. */
import { createHash } from "node:crypto";
import { raceAbort } from "../core/abort.js";
import { InvalidInputError } from "../core/errors/index.js";
import { type Collection, type CollectionInfo, isSnapshot } from "../sync/collections.js";
import type { EncodedRecord, RecordInspector } from "../sync/encoding/record-inspector.js";
import { IdHash, viewOf } from "../sync/ids/id-hash.js";
import { IdTable } from "../sync/ids/id-table.js";
import type { WriteReport } from "../sync/write/options.js";
import { tableOf } from "./guard/comparison.js";
import { CollectionLedger } from "./ledger/collection-ledger.js";
import { putLine } from "./ledger/id-lines.js";
import type { InstallationLedger } from "./ledger/installation-ledger.js";
import type { LedgerSnapshot } from "./ledger/state.js";
import { ledgerError } from "./ledger/value.js";

const PIECE_BYTES = 64 * 1024;

/** Takes the lines of a collection. */
type Keep = (collection: Collection, lines: Uint8Array) => void;

export class NewEvents {
  readonly #ledger: InstallationLedger | undefined;
  readonly #seen: LedgerSnapshot;
  readonly #keep: Keep | undefined;
  readonly #ended: AbortSignal;
  readonly #ids = new Map<Collection, Promise<EventIds>>();

  /**
   * @param seen What the ledger had before the connector was called.
   * @param keep Undefined in a preview, which works without a ledger, and without one that can be read.
   */
  constructor(
    ledger: InstallationLedger | undefined,
    seen: LedgerSnapshot,
    ended: AbortSignal,
    keep: Keep | undefined,
  ) {
    this.#ledger = ledger;
    this.#seen = seen;
    this.#ended = ended;
    this.#keep = keep;
  }

  /** The collections that were written with `newOnly`. */
  get collections(): readonly Collection[] {
    return [...this.#ids.keys()];
  }

  /**
   * Returns the inspector of a write with `newOnly`, which counts in its report what it leaves out.
   * @param inner Inspects what is left.
   * @throws {InvalidInputError} the collection is a snapshot, or the run has no ledger
   * @throws {ConfigurationError} the ids that were sent cannot be read
   */
  async inspectorOf(
    collection: CollectionInfo,
    report: WriteReport,
    inner: RecordInspector | undefined,
  ): Promise<RecordInspector> {
    const { name } = collection;
    if (isSnapshot(name))
      throw new InvalidInputError(
        `newOnly is for events. ${name} is a snapshot, of which each run sends everything.`,
      );
    if (this.#ledger === undefined && this.#keep !== undefined)
      throw new InvalidInputError(
        'newOnly needs a ledger, which remembers the events: use fileLedger(directory) instead of "none".',
      );
    const opening = this.#ids.get(name) ?? this.#open(collection);
    this.#ids.set(name, opening);
    const ids = await raceAbort(opening, this.#ended);
    return {
      inspect: (encoded, record) => {
        if (ids.isNew(encoded)) return inner?.inspect(encoded, record);
        report.skipped += 1;
        return false;
      },
      ...(inner?.invalid === undefined ? {} : { invalid: (issues) => inner.invalid?.(issues) }),
    };
  }

  /** Keeps the last lines: the connector has returned. */
  async flush(): Promise<void> {
    for (const ids of this.#ids.values()) (await ids).flush();
  }

  async #open({ name, idField }: CollectionInfo): Promise<EventIds> {
    const own = this.#ledger && new CollectionLedger(this.#ledger, name, this.#ended);
    const keep = (lines: Uint8Array) => this.#keep?.(name, lines);
    return new EventIds(idField !== undefined, await this.#known(own), own?.keyOf, keep);
  }

  async #known(ledger: CollectionLedger | undefined): Promise<IdTable> {
    const read = async (seen: LedgerSnapshot) => {
      // Of a run that may have been completed, the next one sends the events again, as it does from a watermark.
      const known = ledger?.known(seen).find(({ state }) => state === "completed");
      return known === undefined ? new IdTable() : tableOf(known.lines());
    };
    try {
      // Once more, because another run may have replaced its ids meanwhile. Then this one is outdated.
      return await read(this.#seen).catch(async (error: unknown) => {
        if (ledger === undefined) throw error;
        return read(await ledger.read());
      });
    } catch (error) {
      if (this.#keep === undefined) return new IdTable();
      throw ledgerError("read the ids of events; nothing was sent", error);
    }
  }
}

/** The ids of the events of one collection: those of the last run, and those of this one. */
class EventIds {
  readonly #hasIds: boolean;
  readonly #known: IdTable;
  readonly #own = new IdTable();
  readonly #keyOf: ((id: Uint8Array) => Uint8Array) | undefined;
  readonly #keep: (lines: Uint8Array) => void;
  readonly #hash = new IdHash();
  #lines: Uint8Array[] = [];
  #bytes = 0;

  constructor(
    hasIds: boolean,
    known: IdTable,
    keyOf: ((id: Uint8Array) => Uint8Array) | undefined,
    keep: (lines: Uint8Array) => void,
  ) {
    this.#hasIds = hasIds;
    this.#known = known;
    this.#keyOf = keyOf;
    this.#keep = keep;
  }

  /** Notes an event. @returns whether neither the last run nor this one had it */
  isNew({ buffer, start, end, idStart, idEnd, index }: EncodedRecord): boolean {
    const id = this.#hasIds
      ? buffer.subarray(idStart, idEnd)
      : Buffer.from(createHash("sha256").update(buffer.subarray(start, end)).digest("base64url"));
    const key = this.#keyOf?.(id) ?? id;
    const line = new Uint8Array(2 * key.length + 1);
    const lineEnd = putLine(viewOf(line), 0, viewOf(key), 0, key.length);
    this.#hash.id(viewOf(line), 0, lineEnd);
    const { low, high } = this.#hash;
    // What one file has twice, another run would skip as well.
    if (this.#own.add(low, high, 0, index) !== -1) return false;
    this.#put(line.subarray(0, lineEnd + 1));
    return !this.#known.has(low, high);
  }

  flush(): void {
    if (this.#bytes > 0) this.#keep(Buffer.concat(this.#lines));
    this.#lines = [];
    this.#bytes = 0;
  }

  #put(line: Uint8Array): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes >= PIECE_BYTES) this.flush();
  }
}
