/** The requests and answers of the operations in the normalized form: with the fields that play a part only. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import type { Mapping } from "../contract/types.js";
import type { Names } from "./contract-names.js";
import type { FieldEdit, MessageCopy } from "./message-copy.js";
import { collectionsAt, fieldsAt, METHOD_NAMES, type Role, type Roles } from "./roles.js";

const COUNTS: ReadonlySet<Type | undefined> = new Set([Type.INT32, Type.INT64, Type.UINT32, Type.UINT64]);

export function* roleMessages({ methods }: Roles, mapping: Mapping, names: Names): Iterable<MessageCopy> {
  const { start, sync, complete, abort } = mapping;
  const request = (role: Role, parts: Parts) =>
    copyOf(`${METHOD_NAMES[role]}Request`, methods[role].input, parts);
  const answer = (role: Role, parts: Parts) =>
    copyOf(`${METHOD_NAMES[role]}Response`, methods[role].output, parts);
  yield request("start", new Parts(methods.start.input, "start").id(start.installationId, "installation_id"));
  yield answer("start", new Parts(methods.start.output, "start").id(start.batchId, "batch_id"));
  yield* recordMessages(methods.sync.input, sync, names);
  const accepted = new Parts(methods.sync.output, "sync");
  if (sync.accepted !== undefined) accepted.count(sync.accepted, "accepted_records", true);
  yield answer("sync", accepted);
  yield request("complete", new Parts(methods.complete.input, "complete").id(complete.batchId, "batch_id"));
  const counts = new Parts(methods.complete.output, "complete");
  for (const list of ["snapshots", "events"] as const) {
    const parts = complete[list];
    if (parts === undefined) continue;
    const message = list === "snapshots" ? "SnapshotResult" : "EventResult";
    const entry = counts.list(parts.list, list, message);
    const entries = new Parts(entry, `complete.${list}`).id(parts.collection, "collection");
    for (const [name, field] of Object.entries(parts))
      if (name !== "list" && name !== "collection") entries.count(field, name, false);
    yield copyOf(message, entry, entries);
  }
  yield answer("complete", counts);
  yield request("abort", new Parts(methods.abort.input, "abort").id(abort.batchId, "batch_id"));
  yield answer("abort", new Parts(methods.abort.output, "abort"));
}

/** The request with the collections, and the lists of records. */
function* recordMessages(request: DescMessage, sync: Mapping["sync"], names: Names): Iterable<MessageCopy> {
  const parts = new Parts(request, "sync").id(sync.batchId, "batch_id");
  // The fields above the alternatives are in every request.
  const levels = sync.collections.split(".").length - 1;
  const groups = new Map<DescMessage, Map<DescField, FieldEdit>>();
  for (const { path, records } of collectionsAt(request, sync.collections)) {
    for (const [depth, field] of path.entries()) {
      const within = path[depth - 1]?.message;
      const edits = within === undefined ? parts.edits : (groups.get(within) ?? new Map());
      if (within !== undefined) groups.set(within, edits);
      const isAlternative = depth >= levels;
      edits.set(field, { name: names.field(field), jsonName: field.name, presence: true, isAlternative });
    }
    const list = records.parent;
    yield {
      name: names.type(list),
      from: list,
      edit: (field) => (field === records ? { name: "records", presence: true } : undefined),
      oneof: "",
    };
  }
  for (const [from, edits] of [...groups].reverse())
    yield { name: names.type(from), from, edit: (field) => edits.get(field), oneof: "collection" };
  yield copyOf("SyncRecordsRequest", request, parts);
}

/** The fields of a message that play a part. */
class Parts {
  readonly edits = new Map<DescField, FieldEdit>();

  constructor(
    readonly message: DescMessage,
    readonly role: string,
  ) {}

  id(path: string, name: string): this {
    return this.#add(path, name, { name, presence: false }, Type.STRING);
  }

  count(path: string, name: string, presence: boolean): this {
    return this.#add(path, name, { name, presence, type: Type.INT64 }, Type.INT64);
  }

  /** Returns the message of the list's entries. */
  list(path: string, name: string, message: string): DescMessage {
    this.#add(path, name, { name, message, presence: false }, Type.MESSAGE);
    const entry = fieldsAt(this.message, path, `${this.role}.${name}`).at(-1)?.message;
    if (entry === undefined)
      throw new Error(`contract/mapping.ts: ${this.role}.${name}: no list of messages`);
    return entry;
  }

  /** A field within another message keeps that message as it is: the door (write-contract.ts) reads through it. */
  #add(path: string, part: string, edit: FieldEdit, type: Type): this {
    const [field, ...inner] = fieldsAt(this.message, path, `${this.role}.${part}`);
    const target = inner.at(-1) ?? field;
    const fits = type === Type.INT64 ? COUNTS.has(target?.proto.type) : target?.proto.type === type;
    if (field === undefined || !fits)
      throw new Error(
        `contract/mapping.ts: ${this.role}.${part}: ${target?.toString()} must be a ${Type[type]}`,
      );
    this.edits.set(field, inner.length === 0 ? edit : { name: field.name, presence: true });
    return this;
  }
}

function copyOf(name: string, from: DescMessage, { edits }: Parts): MessageCopy {
  return { name, from, edit: (field) => edits.get(field), oneof: "collection" };
}
