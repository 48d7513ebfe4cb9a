/** The requests and answers of the operations in the normalized form: with the fields that play a part only. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import type { Mapping, Rules } from "../contract/types.js";
import type { Names } from "./contract-names.js";
import type { FieldEdit, MessageCopy } from "./message-copy.js";
import { Refusal } from "./refusal.js";
import { collectionsIn, fieldsAt, METHOD_NAMES, type Role, type Roles } from "./roles.js";
import { isLeftOut } from "./rule-targets.js";

const COUNTS: ReadonlySet<Type | undefined> = new Set([Type.INT32, Type.INT64, Type.UINT32, Type.UINT64]);

export function* roleMessages(
  { methods }: Roles,
  mapping: Mapping,
  rules: Rules,
  names: Names,
): Iterable<MessageCopy> {
  const { start, sync, complete, abort } = mapping;
  const request = (role: Role, parts: Parts) => {
    parts.refuseOtherRequired();
    return copyOf(`${METHOD_NAMES[role]}Request`, methods[role].input, parts);
  };
  const answer = (role: Role, parts: Parts) =>
    copyOf(`${METHOD_NAMES[role]}Response`, methods[role].output, parts);
  yield request("start", new Parts(methods.start.input, "start").id(start.installationId, "installation_id"));
  yield answer("start", new Parts(methods.start.output, "start").id(start.batchId, "batch_id"));
  const records = new Parts(methods.sync.input, "sync").id(sync.batchId, "batch_id");
  yield* recordLists(records, rules, names);
  yield request("sync", records);
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

/** The lists of records and the groups of collections; the request gets the fields that lead to them. */
function* recordLists(request: Parts, rules: Rules, names: Names): Iterable<MessageCopy> {
  const isSkipped = (field: DescField) =>
    rules.collections[names.field(field)] === "left out" || isLeftOut(field, rules, names);
  const groups = new Map<DescMessage, Map<DescField, FieldEdit>>();
  for (const { path, records } of collectionsIn(request.message, isSkipped)) {
    for (const [depth, field] of path.entries()) {
      const within = path[depth - 1]?.message;
      const edits = within === undefined ? request.edits : (groups.get(within) ?? new Map());
      if (within !== undefined) groups.set(within, edits);
      edits.set(field, {
        name: names.field(field),
        jsonName: field.name,
        presence: true,
        isAlternative: true,
      });
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
}

/** The fields of a message that play a part. */
class Parts {
  readonly edits = new Map<DescField, FieldEdit>();
  readonly #paths: (readonly DescField[])[] = [];

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
      throw new Refusal(`contract/mapping.ts: ${this.role}.${name}: no list of messages`);
    return entry;
  }

  /** What a proto2 contract requires and the SDK does not send. */
  refuseOtherRequired(): void {
    const sent = new Set([...this.edits.keys(), ...this.#paths.flat()]);
    const messages = [
      this.message,
      ...this.#paths.flatMap((path) => path.flatMap(({ message }) => message ?? [])),
    ];
    const field = messages
      .flatMap(({ fields }) => fields)
      .find((each) => isRequired(each) && !sent.has(each));
    if (field !== undefined)
      throw new Refusal(`${field.toString()} is required by the contract, and the SDK does not send it`);
  }

  /** A field within another message keeps that message as it is: the door (write-door.ts) reads through it. */
  #add(path: string, part: string, edit: FieldEdit, type: Type): this {
    const fields = fieldsAt(this.message, path, `${this.role}.${part}`);
    this.#paths.push(fields);
    const [field, ...inner] = fields;
    const target = inner.at(-1) ?? field;
    const fits = type === Type.INT64 ? COUNTS.has(target?.proto.type) : target?.proto.type === type;
    if (field === undefined || !fits)
      throw new Refusal(
        `contract/mapping.ts: ${this.role}.${part}: ${target?.toString()} must be a ${Type[type]}`,
      );
    this.edits.set(field, inner.length === 0 ? edit : { name: field.name, presence: true, isPath: true });
    return this;
  }
}

function copyOf(name: string, from: DescMessage, { edits }: Parts): MessageCopy {
  return { name, from, edit: (field) => edits.get(field), oneof: "collection" };
}

/** Whether a contract of proto2 requires a field. */
export function isRequired({ presence }: DescField): boolean {
  return presence === FeatureSet_FieldPresence.LEGACY_REQUIRED;
}
