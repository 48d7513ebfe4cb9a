/** Finds the parts of the contract that mapping.ts names. */
import type { DescField, DescMessage, DescMethod, DescService, FileRegistry } from "@bufbuild/protobuf";
import type { Mapping } from "../contract/types.js";
import { Refusal, unlessRefused } from "./refusal.js";

/** A collection of the request. */
export interface CollectionPlace {
  /** The field with the list. */
  readonly field: DescField;
  /** The fields from the request down to `field`. */
  readonly path: readonly DescField[];
  /** The repeated field with the records. */
  readonly records: DescField & { readonly message: DescMessage };
}

export type Role = keyof Mapping["methods"];

export const ROLES = ["start", "sync", "complete", "abort"] as const satisfies readonly Role[];

/** The SDK's names for the methods, by role. */
export const METHOD_NAMES: Readonly<Record<Role, string>> = {
  start: "StartSyncBatch",
  sync: "SyncRecords",
  complete: "CompleteSyncBatch",
  abort: "AbortSyncBatch",
};

export interface Roles {
  readonly service: DescService;
  readonly methods: Readonly<Record<Role, DescMethod>>;
}

/** @throws Refusal if the contract lacks a part that everything else depends on */
export function findRoles(registry: FileRegistry, mapping: Mapping, refusals: string[]): Roles {
  const services = [...registry].filter((desc) => desc.kind === "service");
  const named = services.find(({ typeName }) => typeName === mapping.service);
  // If the only service has another name, the check goes on, to report all other problems, too.
  const service = named ?? services[0];
  const unknown = mappingError(
    "service",
    `there is no service ${mapping.service}`,
    services.map(({ typeName }) => typeName),
  );
  if (service === undefined || (named === undefined && services.length > 1)) throw unknown;
  if (named === undefined) refusals.push(unknown.message);
  const method = (role: Role) => unlessRefused(refusals, () => methodOf(service, role, mapping))[0];
  const [start, sync, complete, abort] = ROLES.map(method);
  if (start === undefined || sync === undefined || complete === undefined || abort === undefined)
    throw new Refusal(refusals.join("\n"));
  return { service, methods: { start, sync, complete, abort } };
}

function methodOf(service: DescService, role: Role, { methods }: Mapping): DescMethod {
  const name = methods[role];
  const found = service.methods.find((candidate) => candidate.name === name);
  const names = service.methods.map((candidate) => candidate.name);
  if (found === undefined)
    throw mappingError(`methods.${role}`, `${service.typeName} has no method ${name}`, names);
  const kind = role === "sync" ? "client_streaming" : "unary";
  if (found.methodKind !== kind)
    throw new Refusal(`contract/mapping.ts: methods.${role}: ${name} must be ${kind}`);
  return found;
}

/**
 * The fields of a path such as `header.batch_id`.
 * @param place The key in the mapping.
 * @param remedy What to do if the contract has no such field.
 */
export function fieldsAt(
  message: DescMessage,
  path: string,
  place: string,
  remedy?: string,
): readonly DescField[] {
  const fields: DescField[] = [];
  let within: DescMessage | undefined = message;
  for (const name of path.split(".")) {
    const field: DescField | undefined = within?.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      const names = within?.fields.map((candidate) => candidate.name) ?? [];
      throw mappingError(place, `${within?.typeName ?? path} has no field ${name}`, names, remedy);
    }
    fields.push(field);
    within = field.message;
  }
  return fields;
}

/**
 * The collections of a contract's request: messages with a list of records, in the request or in messages within it. On
 * the wire, members of a oneof are like other fields.
 */
export function collectionsIn(
  message: DescMessage,
  isLeftOut: (field: DescField) => boolean,
  above: readonly DescField[] = [],
): readonly CollectionPlace[] {
  return message.fields
    .filter((field) => holdsMessages(field) && !isLeftOut(field))
    .flatMap((field) => {
      if (field.fieldKind !== "message")
        throw new Refusal(
          `${field.parent.typeName}.${field.name}: the SDK needs a message with a list of records here, because a list alone cannot say that a snapshot is empty`,
        );
      const path = [...above, field];
      const [records, ...others] = listsIn(field.message).filter((list) => !isLeftOut(list));
      if (others.length > 0)
        throw new Refusal(
          `${field.message.typeName} has more than one list of messages: in contract/rules.ts, messages.${field.message.name}.fields, leave out those without records`,
        );
      return records === undefined
        ? collectionsIn(field.message, isLeftOut, path)
        : [{ field, path, records }];
    });
}

/** Whether a field is a list of messages, or contains one. */
function holdsMessages({ message, fieldKind }: DescField, seen: readonly DescMessage[] = []): boolean {
  if (message === undefined || message.typeName.startsWith("google.") || seen.includes(message)) return false;
  return fieldKind !== "message" || message.fields.some((field) => holdsMessages(field, [...seen, message]));
}

function listsIn({ fields }: DescMessage): readonly CollectionPlace["records"][] {
  return fields.flatMap((field) =>
    field.fieldKind === "list" && field.listKind === "message" ? [field] : [],
  );
}

/** The collections of a normalized request. */
export function findCollections(
  { oneofs }: DescMessage,
  above: readonly DescField[] = [],
): readonly CollectionPlace[] {
  const members = oneofs.find(({ name }) => name === "collection")?.fields ?? [];
  return members.flatMap((field) => {
    if (field.message === undefined) return [];
    const path = [...above, field];
    const [records] = listsIn(field.message);
    return records === undefined ? findCollections(field.message, path) : [{ field, path, records }];
  });
}

function mappingError(place: string, problem: string, names: readonly string[], remedy?: string): Refusal {
  const otherwise = remedy === undefined ? "" : `; if none of them is a count, ${remedy}`;
  return new Refusal(
    `contract/mapping.ts: ${place}: ${problem}; it has ${names.join(", ") || "none"}${otherwise}`,
  );
}
