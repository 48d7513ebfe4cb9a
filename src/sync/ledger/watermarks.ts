import type { EventCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import { type InstallationLedger, lastOf, randomToken } from "./installation-ledger.js";

const EVENTS = Object.values(WIRE).filter((info) => info.model === "event");

/** Until when the events of a collection were sent, and the key of the entry that says so. */
export interface Watermark {
  readonly key: string;
  readonly value: string;
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
export async function storeWatermarks(
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
