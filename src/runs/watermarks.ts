import { InvalidInputError } from "../core/errors/index.js";
import { describeType } from "../core/validate.js";
import {
  COLLECTIONS,
  type EventCollection,
  isCollection,
  unknownCollectionError,
} from "../sync/collections.js";
import type { RunContext } from "./connector.js";
import type { LedgerSnapshot } from "./ledger/state.js";
import { ledgerError } from "./ledger/value.js";

const MAX_CHARACTERS = 1000;

/** The watermarks of a run, by the wire names of their collections. */
export interface Watermarks {
  /** What earlier runs committed. */
  readonly before: Readonly<Record<string, string>>;
  /** What the connector has advanced in its last call. */
  readonly advanced: Record<string, string>;
  /** The collections of which the connector has asked for the watermark, or has advanced it. */
  readonly used: Set<EventCollection>;
}

/**
 * What a connector gets. A preview may advance without a ledger, and does not fail if the ledger cannot be read.
 * @param ledger Undefined if there is none.
 */
export function watermarkCalls(
  { before, advanced, used }: Watermarks,
  ledger: Pick<LedgerSnapshot, "problem"> | undefined,
  isPreview: boolean,
): Pick<RunContext, "watermark" | "advance"> {
  return {
    watermark: (name) => {
      const subject = subjectOf("watermark", name);
      if (ledger?.problem !== undefined && !isPreview)
        throw ledgerError("read the watermarks of events; nothing was sent", ledger.problem);
      used.add(name);
      return before[subject];
    },
    advance: (name, value) => {
      const subject = subjectOf("advance", name);
      requireValue(value);
      if (ledger === undefined && !isPreview)
        throw new InvalidInputError(
          'advance needs a ledger, which remembers the watermark: use fileLedger(directory) instead of "none".',
        );
      used.add(name);
      advanced[subject] = value;
    },
  };
}

function subjectOf(call: string, name: EventCollection): string {
  // Callers without types may pass anything.
  if (!isCollection(name)) throw unknownCollectionError(name);
  if (COLLECTIONS[name].model === "event") return COLLECTIONS[name].wireName;
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
