import type { ZodType } from "zod";
import type { InputIssue } from "../errors.js";
import { WIRE } from "./generated/collections.js";
import type { RecordTypes } from "./generated/records.js";
import * as access from "./generated/saas_management/sync/v1/access_records.js";
import * as activity from "./generated/saas_management/sync/v1/activity_records.js";
import * as identity from "./generated/saas_management/sync/v1/identity_records.js";
import * as schemas from "./generated/schemas.js";
import { toIssues, UNREADABLE } from "./issues.js";

export type { EventCollection, SnapshotCollection } from "./generated/collections.js";

/** Name of a collection, as in `batch.write("accounts", …)`. */
export type CollectionName = keyof RecordTypes;

/** The record of a collection: the wire's model in camelCase with exactly one variant, `{ generic: { … } }`. */
export type RecordOf<C extends CollectionName> = RecordTypes[C];

/** An encoded record, or what is wrong with it. */
export type EncodedRecord =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly issues: readonly InputIssue[] };

/** What the engine needs to know of a collection. */
export interface Collection {
  readonly name: CollectionName;
  /** Name of the field in SyncRecordsRequest. */
  readonly wireName: string;
  /** Number of the field in SyncRecordsRequest. */
  readonly fieldNumber: number;
  readonly model: "snapshot" | "event";
  /** Whether its records have an id, so that one that arrives twice is still one record. */
  readonly hasIds: boolean;
  /** Checks a record and encodes it as the wire's message. */
  encode(record: unknown, index: number): EncodedRecord;
  /** The record's id, where it has one and it can be read. */
  identify(record: unknown): string | undefined;
}

/** The field that identifies a record within its variant; `undefined`: records of the collection have no id. */
type IdField = "id" | "sourceId" | undefined;

interface Codec<Message> {
  encode(message: Message): { finish(): Uint8Array };
}

function collection<Message>(
  name: CollectionName,
  schema: ZodType<Message>,
  codec: Codec<Message>,
  idField: IdField,
): Collection {
  const identify = (record: unknown) => readId(record, idField);
  return {
    name,
    ...WIRE[name],
    hasIds: idField !== undefined,
    identify,
    encode(record, index) {
      const place = { collection: name, index, ...optionalId(identify(record)) };
      let checked: ReturnType<typeof schema.safeParse>;
      try {
        checked = schema.safeParse(record);
      } catch {
        return { ok: false, issues: [{ ...place, path: "", expected: UNREADABLE }] };
      }
      if (!checked.success) return { ok: false, issues: toIssues(checked.error.issues, place) };
      return { ok: true, bytes: codec.encode(checked.data).finish() };
    },
  };
}

/** Every collection. A new data type is a message in the `.proto` and a row here. */
export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  accounts: collection("accounts", schemas.account, access.Account, "id"),
  plans: collection("plans", schemas.plan, access.Plan, "id"),
  licenses: collection("licenses", schemas.license, access.License, "sourceId"),
  employees: collection("employees", schemas.employee, identity.Employee, "id"),
  groups: collection("groups", schemas.group, identity.Group, "id"),
  groupMembers: collection("groupMembers", schemas.groupMember, identity.GroupMember, "id"),
  devices: collection("devices", schemas.device, identity.Device, "id"),
  usage: collection("usage", schemas.usage, activity.Usage, "id"),
  externallyDiscoveredUsage: collection(
    "externallyDiscoveredUsage",
    schemas.externallyDiscoveredUsage,
    activity.ExternallyDiscoveredUsage,
    undefined,
  ),
  auditLogs: collection("auditLogs", schemas.auditLog, activity.AuditLog, "id"),
  aiUsage: collection("aiUsage", schemas.aiUsage, activity.AiUsage, "id"),
  aiCost: collection("aiCost", schemas.aiCost, activity.AiCost, "id"),
};

/** Longest id that an error shows. */
const MAX_SHOWN_ID = 200;

function readId(record: unknown, idField: IdField): string | undefined {
  if (idField === undefined || !isObject(record)) return undefined;
  try {
    const variant = Object.values(record).find(isObject);
    const id: unknown = variant === undefined ? undefined : Reflect.get(variant, idField);
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

function optionalId(id: string | undefined): { readonly id?: string } {
  return id === undefined ? {} : { id: id.slice(0, MAX_SHOWN_ID) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
