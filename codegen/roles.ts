/** Finds the parts of the contract that mapping.ts names. */
import type { DescField, DescMessage, DescMethod, DescService, FileRegistry } from "@bufbuild/protobuf";
import type { Mapping } from "../contract/types.js";
import { nearestName } from "./nearest.js";

/** A collection of the request. */
export interface CollectionPlace {
  /** The member of the oneof. */
  readonly field: DescField;
  /** The fields from the request down to `field`. */
  readonly path: readonly DescField[];
  /** The repeated field with the records. */
  readonly records: DescField & { readonly message: DescMessage };
}

export type Role = keyof Mapping["methods"];

export const ROLES = ["start", "sync", "complete", "abort"] as const satisfies readonly Role[];

/** The SDK's name of the method that plays a role. */
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

export function findRoles(registry: FileRegistry, mapping: Mapping): Roles {
  const service = registry.getService(mapping.service);
  if (service === undefined) {
    const names = [...registry].flatMap((desc) => (desc.kind === "service" ? [desc.typeName] : []));
    throw mappingError("service", `there is no service ${mapping.service}`, mapping.service, names);
  }
  const method = (role: Role) => {
    const name = mapping.methods[role];
    const found = service.methods.find((candidate) => candidate.name === name);
    if (found !== undefined) return found;
    const names = service.methods.map((candidate) => candidate.name);
    throw mappingError(`methods.${role}`, `${service.typeName} has no method ${name}`, name, names);
  };
  const methods = {
    start: method("start"),
    sync: method("sync"),
    complete: method("complete"),
    abort: method("abort"),
  };
  for (const role of ROLES) {
    const kind = role === "sync" ? "client_streaming" : "unary";
    if (methods[role].methodKind !== kind)
      throw new Error(`contract/mapping.ts: methods.${role}: ${methods[role].name} must be ${kind}`);
  }
  return { service, methods };
}

/** The fields of a path such as `header.batch_id`. */
export function fieldsAt(message: DescMessage, path: string, role: string): readonly DescField[] {
  const fields: DescField[] = [];
  let within: DescMessage | undefined = message;
  for (const name of path.split(".")) {
    const field: DescField | undefined = within?.fields.find((candidate) => candidate.name === name);
    if (field === undefined) {
      const names = within?.fields.map((candidate) => candidate.name) ?? [];
      throw mappingError(role, `${within?.typeName ?? path} has no field ${name}`, name, names);
    }
    fields.push(field);
    within = field.message;
  }
  return fields;
}

/** Stands for the oneof of collections that are fields of their own. */
export const WITHOUT_ONEOF = "*";

/** The fields of a message that hold a list of records, or a group of collections, without a oneof. */
export function plainCollections({ fields }: DescMessage): readonly DescField[] {
  return fields.filter(
    (field) => field.oneof === undefined && field.fieldKind === "message" && holdsRecords(field.message),
  );
}

/** The fields beside collections without a oneof that hold a list and are no collections. */
export function passedOver(request: DescMessage, path: string): readonly DescField[] {
  const names = path.split(".");
  if (names.pop() !== WITHOUT_ONEOF) return [];
  const within =
    names.length === 0 ? request : fieldsAt(request, names.join("."), "sync.collections").at(-1)?.message;
  if (within === undefined) return [];
  const taken = plainCollections(within);
  const holdsList = ({ fieldKind, message }: DescField) =>
    fieldKind === "list" || (message !== undefined && listIn(message) !== undefined);
  return within.fields.filter((field) => !taken.includes(field) && holdsList(field));
}

/** Records have their fields in a message within: lists of labels and the like do not. */
function holdsRecords(message: DescMessage): boolean {
  const isRecord = ({ fields }: DescMessage) => fields.some(({ fieldKind }) => fieldKind === "message");
  const list = listIn(message);
  if (list !== undefined) return isRecord(list.message);
  const group = message.oneofs[0]?.fields.filter(({ message: inner }) => inner && holdsRecords(inner));
  return (group ?? plainCollections(message)).length > 0;
}

/** The list of records in a message. */
function listIn({ fields }: DescMessage): CollectionPlace["records"] | undefined {
  const [records] = fields.flatMap((field) =>
    field.fieldKind === "list" && field.listKind === "message" ? [field] : [],
  );
  return records;
}

/** The collections of a contract's request, in the order of its oneof. */
export function collectionsAt(request: DescMessage, path: string): readonly CollectionPlace[] {
  const names = path.split(".");
  const oneofName = names.pop() ?? "";
  const above = names.length === 0 ? [] : fieldsAt(request, names.join("."), "sync.collections");
  const within = above.at(-1)?.message ?? request;
  if (oneofName === WITHOUT_ONEOF) return membersOf(plainCollections(within), above);
  const oneof = within.oneofs.find(({ name }) => name === oneofName);
  if (oneof !== undefined) return membersOf(oneof.fields, above);
  const known = within.oneofs.map(({ name }) => name);
  throw mappingError("sync.collections", `${within.typeName} has no oneof ${oneofName}`, oneofName, known);
}

/** The collections of a normalized request. */
export function findCollections(
  request: DescMessage,
  above: readonly DescField[] = [],
): readonly CollectionPlace[] {
  const oneof = request.oneofs.find(({ name }) => name === "collection");
  if (oneof !== undefined) return membersOf(oneof.fields, above);
  return request.fields.flatMap((field) =>
    field.message === undefined ? [] : findCollections(field.message, [...above, field]),
  );
}

function membersOf(members: readonly DescField[], above: readonly DescField[]): CollectionPlace[] {
  return members.flatMap((field) => {
    const path = [...above, field];
    const records = field.fieldKind === "message" ? listIn(field.message) : undefined;
    if (records !== undefined) return [{ field, path, records }];
    const group =
      field.message?.oneofs[0]?.fields ?? (field.message && plainCollections(field.message)) ?? [];
    if (group.length === 0)
      throw new Error(
        `${field.toString()}: the SDK needs a message with a list of records here, because a list alone cannot say that a snapshot is empty, or a group of such messages`,
      );
    return membersOf(group, path);
  });
}

function mappingError(role: string, problem: string, name: string, names: readonly string[]): Error {
  const likely = nearestName(name, names);
  const advice = likely === undefined ? "" : `; likely ${likely}`;
  return new Error(`contract/mapping.ts: ${role}: ${problem}${advice}`);
}
