/**
 * The watermarks of an installation: until when the events of a collection were sent. Each is an entry of its own,
 * `watermark.usage.00000007.<token>`, of which the highest one counts.
 *
 * Sequences are drawn when a batch is completed, and another run may hold the lock by then. A watermark that it has stored
 * stays. If both store theirs at the same moment, the next run may send events again; none is lost.
 */
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import type { EventCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import { type InstallationScope, unusable } from "./entry.js";
import { folderOf } from "./keys.js";
import { type LedgerParts, placeOf } from "./ledger.js";
import { putWhole } from "./store.js";

/** What a value contains: it says whose it is, so that a copied file does not hide events of another installation. */
interface WatermarkEntry extends InstallationScope {
  readonly collection: EventCollection;
  readonly value: string;
}

const EVENTS = Object.values(WIRE).filter((info) => info.model === "event");
const SEQUENCE = /^(\d+)\.[0-9a-f]+$/;

/** A watermark that counts, and the key of its entry. */
export interface Watermark {
  readonly key: string;
  readonly value: string;
}

/** Reads the watermarks. @throws {ConfigurationError} one is damaged, or belongs to another installation or collection */
export async function readWatermarks(
  ledger: LedgerParts,
  scope: InstallationScope,
): Promise<ReadonlyMap<EventCollection, Watermark>> {
  const read = async () => {
    const keys = await keysOf(ledger, scope);
    const values = new Map<EventCollection, Watermark>();
    for (const { name, wireName } of EVENTS) {
      const last = lastOf(keys, prefixOf(scope, wireName));
      if (last === undefined) continue;
      values.set(name, { key: last, value: await readValue(ledger, { ...scope, collection: name }, last) });
    }
    return values;
  };
  // Once more, because the run before may have replaced a watermark meanwhile.
  return read().catch(read);
}

/**
 * Stores watermarks, and deletes those that they replace.
 * @param before What the run has seen: if it is not the last one any more, a later run has stored its own.
 * @param over Fires when nobody waits any more.
 */
export async function storeWatermarks(
  ledger: LedgerParts,
  scope: InstallationScope,
  values: ReadonlyMap<EventCollection, string>,
  before: ReadonlyMap<EventCollection, Watermark>,
  over: AbortSignal,
): Promise<void> {
  const { store } = ledger;
  for (const [collection, value] of values) {
    over.throwIfAborted();
    const prefix = prefixOf(scope, WIRE[collection].wireName);
    const earlier = (await keysOf(ledger, scope)).filter((key) => key.startsWith(prefix));
    if (lastOf(earlier, prefix) !== before.get(collection)?.key) continue;
    const sequence = 1 + Math.max(0, ...earlier.map((key) => sequenceOf(key, prefix)));
    const key = `${prefix}${String(sequence).padStart(8, "0")}.${randomBytes(6).toString("hex")}`;
    const entry: WatermarkEntry = { ...scope, collection, value };
    const json = async function* () {
      yield Buffer.from(`${JSON.stringify(entry)}\n`);
    };
    over.throwIfAborted();
    await putWhole(store, key, json());
    for (const old of earlier) await store.delete(old);
  }
}

async function readValue(
  ledger: LedgerParts,
  scope: Omit<WatermarkEntry, "value">,
  key: string,
): Promise<string> {
  const place = placeOf(ledger, key);
  const stored = await ledger.store.get(key);
  if (stored === undefined) throw unusable(place, "it is missing");
  const entry = parseEntry(await text(stored));
  const { value } = entry;
  if (typeof value !== "string" || value === "") throw unusable(place, "it is damaged");
  for (const part of ["endpoint", "installationId", "collection"] as const)
    if (entry[part] !== scope[part]) throw unusable(place, `its ${part} is another one`);
  return value;
}

function parseEntry(json: string): Partial<Record<keyof WatermarkEntry, unknown>> {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}

/** Those of the keys of an installation that hold a watermark that counts. */
export function lastWatermarks(keys: readonly string[], scope: InstallationScope): readonly string[] {
  return EVENTS.flatMap(({ wireName }) => lastOf(keys, prefixOf(scope, wireName)) ?? []);
}

async function keysOf({ store }: LedgerParts, scope: InstallationScope): Promise<readonly string[]> {
  const keys: string[] = [];
  const prefix = prefixOf(scope);
  // A store may list more than it was asked for.
  for await (const key of store.list(prefix)) if (key.startsWith(prefix)) keys.push(key);
  return keys;
}

function prefixOf(scope: InstallationScope, wireName?: string): string {
  return `${folderOf(scope)}/watermark.${wireName === undefined ? "" : `${wireName}.`}`;
}

function lastOf(keys: readonly string[], prefix: string): string | undefined {
  let last: string | undefined;
  for (const key of keys)
    if (sequenceOf(key, prefix) > (last === undefined ? 0 : sequenceOf(last, prefix))) last = key;
  return last;
}

/** 0 if it is no watermark of this prefix. */
function sequenceOf(key: string, prefix: string): number {
  return key.startsWith(prefix) ? Number(SEQUENCE.exec(key.slice(prefix.length))?.[1] ?? 0) : 0;
}
