import { raceAbort } from "../../core/abort.js";
import { ConfigurationError, InvalidInputError, SaasManagementError } from "../../core/errors/index.js";
import { describeType } from "../../core/validate.js";
import { bestEffort } from "../call.js";
import { COLLECTIONS, type EventCollection, isCollection, unknownCollectionError } from "../collections.js";
import type { InstallationLedger } from "../ledger/installation-ledger.js";
import { readWatermarks, storeWatermarks, type Watermark } from "../ledger/watermarks.js";
import type { SyncConfiguration } from "../options.js";
import type { RunContext } from "./connector.js";

const MAX_CHARACTERS = 1000;

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
      if (error instanceof SaasManagementError) throw error;
      throw new ConfigurationError(
        "The ledger could not read the watermarks of events; nothing was sent. See the error's cause.",
        { cause: error },
      );
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
