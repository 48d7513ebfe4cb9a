import type { SyncRecordsRequest } from "../../../src/sync/generated/contract.js";
import { type Details, type Kind, makePool, repeat } from "../records.js";
import { toSource } from "../sources.js";
import type { SyncTask } from "../task.js";
import type { Model, Prepare, Sender } from "./by-hand.js";

type Collections = NonNullable<SyncRecordsRequest["collection"]>;
/** ts-proto's messages. */
type Messages = {
  readonly [K in Kind]: Extract<Collections, { readonly $case: K }>["value"]["records"][number];
};

/** A record, which goes to the codec unchanged unless its details contain a time or a map. */
export interface Input<K extends Kind> {
  readonly variant: { readonly $case: "generic"; readonly value: Details[K] };
}

/** How records become ts-proto's messages. */
export type ToMessage = { readonly [K in Kind]: (input: Input<K>) => Messages[K] };

/** How ts-proto wraps the messages of a kind. */
export const TO_COLLECTION: { readonly [K in Kind]: Model<Input<K>, Messages[K]>["toCollection"] } = {
  accounts: (records) => ({ $case: "accounts", value: { records } }),
  licenses: (records) => ({ $case: "licenses", value: { records } }),
  usage: (records) => ({ $case: "usage", value: { records } }),
  employees: (records) => ({ $case: "employees", value: { records } }),
};

/** How every kind of record is written. */
export function preparer(toMessage: ToMessage): Prepare {
  return (sender, task, records) => prepareKind(toMessage, task.kind, sender, task, records);
}

function prepareKind<K extends Kind>(
  toMessage: ToMessage,
  kind: K,
  sender: Sender,
  { text, form }: SyncTask,
  records: number,
) {
  const model = { toMessage: toMessage[kind], toCollection: TO_COLLECTION[kind] };
  const pool = makePool(kind, text).map((value): Input<K> => ({ variant: { $case: "generic", value } }));
  const source = toSource(form, repeat(pool, records));
  return () => sender.write<Input<K>, Messages[K]>(source, model);
}

/** A time in wire format. */
export function toTimestamp(moment: Date) {
  const ms = moment.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1_000_000 };
}

/** A map in ts-proto's form. */
export function toMap(entries: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(entries));
}
