import type { RecordOf } from "@saas-management/sdk";
import type { CollectionMessage } from "../../src/reference-server/sync/stores.js";
import type { StoredMessage } from "../../src/sync/transport.js";
import type { ModelMessage } from "./service-model.js";

/** The collections that the simulation writes: two snapshots, events with an id and events without. */
export const COLLECTIONS = ["accounts", "licenses", "usage", "externallyDiscoveredUsage"] as const;

export type SimCollection = (typeof COLLECTIONS)[number];

/** Part of every record; must not appear in any message, log line or error. */
export const CANARY = "canary-7f3a9e";

/** Copies stored messages one by one, because their buffers are reused. */
export async function loaded(messages: readonly (Uint8Array | StoredMessage)[]): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for (const message of messages)
    all.push(message instanceof Uint8Array ? message : Uint8Array.from(await message.load()));
  return all;
}

/** Whether a collection is a snapshot. */
export function isSnapshot(collection: SimCollection): boolean {
  return collection === "accounts" || collection === "licenses";
}

const MOMENT = new Date(1e12);

/** Makes a record of each collection; one with an empty key is invalid. */
const RECORDS: { readonly [C in SimCollection]: (key: string, text: string) => RecordOf<C> } = {
  accounts: (id, name) => ({ id, name }),
  licenses: (sourceId, externalProductId) => ({
    sourceId,
    sourceAccountId: "a",
    sourcePlanId: "p",
    billable: true,
    externalProductId,
  }),
  usage: (id, externalProductName) => ({
    id,
    sourceActorId: "a",
    externalProductName,
    lastActivity: MOMENT,
  }),
  externallyDiscoveredUsage: (sourceActorId, externalProductName) => ({
    sourceActorId,
    externalProductName,
    lastActivity: MOMENT,
  }),
};

/** A record, valid if its key is not empty. The record's label says which write it belongs to. */
export function makeRecord<C extends SimCollection>(
  collection: C,
  key: string,
  label: string,
  paddingBytes = 0,
): RecordOf<C> {
  return RECORDS[collection](key, `${label} ${CANARY}${"x".repeat(paddingBytes)}`);
}

/** A message of a batch, in the form that the model takes. */
export interface SentMessage {
  readonly batchId: string;
  readonly message: ModelMessage;
}

/** Reads a decoded message. */
export function readMessage({
  batchId,
  collection,
}: {
  readonly batchId: string;
  readonly collection?: CollectionMessage | undefined;
}): SentMessage {
  switch (collection?.$case) {
    case "accounts":
      return message(batchId, "accounts", collection.value.records, ({ id, name }) => [id, name]);
    case "licenses":
      return message(batchId, "licenses", collection.value.records, (license) => [
        license.sourceId,
        license.externalProductId,
      ]);
    case "usage":
      return message(batchId, "usage", collection.value.records, (usage) => [
        usage.id,
        usage.externalProductName,
      ]);
    case "externallyDiscoveredUsage":
      return message(batchId, "externallyDiscoveredUsage", collection.value.records, (usage) => [
        usage.sourceActorId,
        usage.externalProductName,
      ]);
    default:
      throw new Error(`the simulation writes no ${collection?.$case}`);
  }
}

function message<Details>(
  batchId: string,
  collection: SimCollection,
  records: readonly { readonly variant?: { readonly value: Details } | undefined }[],
  read: (details: Details) => readonly [string, string | undefined],
): SentMessage {
  const rows = records.map(({ variant }) => (variant === undefined ? ["", ""] : read(variant.value)));
  return {
    batchId,
    message: {
      collection,
      model: isSnapshot(collection) ? "snapshot" : "event",
      hasIds: collection !== "externallyDiscoveredUsage",
      keys: rows.map(([key]) => key ?? ""),
      labels: rows.map(([, text]) => text?.split(" ")[0] ?? ""),
    },
  };
}
