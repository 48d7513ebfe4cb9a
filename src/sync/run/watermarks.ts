import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { describeType } from "../../core/validate.js";
import { bestEffort } from "../call.js";
import { COLLECTIONS, type EventCollection, isCollection, unknownCollectionError } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import { type InstallationLedger, lastOf, randomToken } from "../ledger/installation-ledger.js";
import { ledgerError } from "../ledger/value.js";
import type { SyncConfiguration } from "../options.js";
import type { RunContext } from "./connector.js";

const MAX_CHARACTERS = 1000;
const EVENTS = Object.values(WIRE).filter((info) => info.model === "event");

/** Until when the events of a collection were sent, and the key of the entry that says so. */
export interface Watermark {
  readonly key: string;
  readonly value: string;
}

/** The watermarks of a run: what earlier runs committed, and what the connector advances. */
export class Watermarks {
  readonly #ledger: InstallationLedger | undefined;
  readonly #isPreview: boolean;
  readonly #configuration: SyncConfiguration;
  #committed: ReadonlyMap<EventCollection, Watermark> = new Map();
  #advanced: ReadonlyMap<EventCollection, string> = new Map();

  /** @param isPreview Whether nothing is ever committed. */
  constructor(ledger: InstallationLedger | undefined, isPreview: boolean, configuration: SyncConfiguration) {
    this.#ledger = ledger;
    this.#isPreview = isPreview;
    this.#configuration = configuration;
  }

  /**
   * Reads what earlier runs committed, for one call of the connector. Rejects with the reason of the signal when that fires.
   * @throws {ConfigurationError} the watermarks cannot be read
   */
  async begin(signal: AbortSignal): Promise<Pick<RunContext, "watermark" | "advance">> {
    const committed = await raceAbort(this.#read(), signal);
    const advanced = new Map<EventCollection, string>();
    this.#committed = committed;
    this.#advanced = advanced;
    return {
      watermark: (name) => committed.get(requireEvents("watermark", name))?.value,
      advance: (name, value) => {
        requireEvents("advance", name);
        requireValue(value);
        if (this.#ledger === undefined && !this.#isPreview)
          throw new InvalidInputError(
            'advance needs a ledger, which remembers the watermark: use fileLedger(directory) instead of "none".',
          );
        advanced.set(name, value);
      },
    };
  }

  /** Commits what the connector has advanced: the batch was completed. Never rejects. */
  async completed(): Promise<void> {
    const ledger = this.#ledger;
    const advanced = this.#advanced;
    if (ledger === undefined || advanced.size === 0) return;
    const failed = {
      level: "error",
      message:
        "the batch was completed, but the ledger could not store its watermarks; the next run sends the same events again",
      details: { collections: [...advanced.keys()] },
    } as const;
    await bestEffort(this.#configuration, failed, (over) =>
      storeWatermarks(ledger, advanced, this.#committed, over),
    );
  }

  async #read(): Promise<ReadonlyMap<EventCollection, Watermark>> {
    if (this.#ledger === undefined) return new Map();
    try {
      return await readWatermarks(this.#ledger);
    } catch (error) {
      // A preview reports the unreadable ledger itself.
      if (this.#isPreview) return new Map();
      throw ledgerError("read the watermarks of events; nothing was sent", error);
    }
  }
}

function requireEvents(call: string, name: EventCollection): EventCollection {
  // Callers without types may pass anything.
  if (!isCollection(name)) throw unknownCollectionError(name);
  if (COLLECTIONS[name].model === "event") return name;
  throw new InvalidInputError(
    `${call} takes a collection of events. ${name} is a snapshot, of which each run sends everything.`,
  );
}

function requireValue(value: unknown): void {
  if (typeof value !== "string" || value === "" || value.length > MAX_CHARACTERS) {
    const got = typeof value === "string" ? `one of ${value.length} characters` : describeType(value);
    throw new InvalidInputError(
      `The value of advance must be a string of 1 to 1,000 characters, got ${got}.`,
    );
  }
}

/** Reads the watermarks of an installation. @throws {ConfigurationError} one is damaged, or belongs to something else */
export async function readWatermarks(
  ledger: InstallationLedger,
): Promise<ReadonlyMap<EventCollection, Watermark>> {
  const read = async () => {
    const values = new Map<EventCollection, Watermark>();
    const entries = await ledger.entries("watermark");
    for (const { name } of EVENTS) {
      const last = entries.findLast(({ subject }) => subject === subjectOf(name));
      if (last === undefined) continue;
      const { value } = (await ledger.read(last.key)) ?? {};
      if (typeof value !== "string") throw ledger.unusable(last.key, "it has no watermark");
      values.set(name, { key: last.key, value });
    }
    return values;
  };
  // Once more, because the run before may have replaced a watermark meanwhile.
  return read().catch(read);
}

/**
 * Stores watermarks, and deletes those that they replace. Sequences are drawn when a batch is completed, and another run
 * may hold the lock by then: a watermark that it has stored stays. If both store theirs at the same moment, the next run
 * may send events again; none is lost.
 * @param before What the run has seen: if it is not the last one any more, a later run has stored its own.
 * @param over Fires when nobody waits any more.
 */
async function storeWatermarks(
  ledger: InstallationLedger,
  values: ReadonlyMap<EventCollection, string>,
  before: ReadonlyMap<EventCollection, Watermark>,
  over: AbortSignal,
): Promise<void> {
  for (const [collection, value] of values) {
    over.throwIfAborted();
    const subject = subjectOf(collection);
    const earlier = await ledger.entries(subject);
    if (lastOf(earlier, "")?.key !== before.get(collection)?.key) continue;
    over.throwIfAborted();
    await ledger.put(earlier, { subject, token: randomToken(), kind: "" }, { value });
    await ledger.delete(earlier);
  }
}

function subjectOf(collection: EventCollection): string {
  return `watermark.${WIRE[collection].wireName}`;
}
