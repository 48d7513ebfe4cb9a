/** The requests and responses of the operations in the normalized form, which has only the fields that the SDK uses. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import type { Mapping, Rules } from "../contract/types.js";
import type { Names } from "./contract-names.js";
import type { FieldEdit, MessageCopy } from "./message-copy.js";
import { Refusal, unlessRefused } from "./refusal.js";
import { collectionsIn, fieldsAt, METHOD_NAMES, type Role, type Roles } from "./roles.js";
import { isLeftOut } from "./rule-targets.js";

const COUNTS: ReadonlySet<Type | undefined> = new Set([Type.INT32, Type.INT64, Type.UINT32, Type.UINT64]);

export function* roleMessages(
  { methods }: Roles,
  mapping: Mapping,
  rules: Rules,
  names: Names,
  refusals: string[],
): Iterable<MessageCopy> {
  const { start, sync, complete, abort } = mapping;
  const partsOf = (message: DescMessage, role: string) => new Parts(message, role, refusals);
  const request = (role: Role, parts: Parts) => {
    parts.refuseOtherRequired();
    return copyOf(`${METHOD_NAMES[role]}Request`, methods[role].input, parts);
  };
  const answer = (role: Role, parts: Parts) =>
    copyOf(`${METHOD_NAMES[role]}Response`, methods[role].output, parts);
  const opening = partsOf(methods.start.input, "start");
  yield request("start", opening.id("installationId", start.installationId, "installation_id"));
  yield answer("start", partsOf(methods.start.output, "start").batchId(start));
  const records = partsOf(methods.sync.input, "sync").batchId(sync);
  yield* recordLists(records, rules, names);
  yield request("sync", records);
  const accepted = partsOf(methods.sync.output, "sync");
  if (sync.accepted !== undefined) accepted.count("accepted", sync.accepted, "accepted_records", true);
  yield answer("sync", accepted);
  yield request("complete", partsOf(methods.complete.input, "complete").batchId(complete));
  const counts = partsOf(methods.complete.output, "complete");
  for (const list of ["snapshots", "events"] as const) {
    const parts = complete[list];
    if (parts === undefined) continue;
    const message = list === "snapshots" ? "SnapshotResult" : "EventResult";
    const entry = counts.list(`${list}.list`, parts.list, list, message);
    if (entry === undefined) continue;
    const entries = partsOf(entry, `complete.${list}`).id("collection", parts.collection, "collection");
    for (const [name, field] of Object.entries(parts))
      if (name !== "list" && name !== "collection") entries.count(name, field, name, false);
    yield copyOf(message, entry, entries);
  }
  yield answer("complete", counts);
  yield request("abort", partsOf(methods.abort.input, "abort").batchId(abort));
  yield answer("abort", partsOf(methods.abort.output, "abort"));
}

/** The lists of records and the groups of collections. The request gets the fields that lead to them. */
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

/** The fields of a message that the SDK uses. */
class Parts {
  readonly edits = new Map<DescField, FieldEdit>();
  readonly #paths: (readonly DescField[])[] = [];

  constructor(
    readonly message: DescMessage,
    readonly role: string,
    readonly refusals: string[],
  ) {}

  batchId({ batchId }: { readonly batchId: string }): this {
    return this.id("batchId", batchId, "batch_id");
  }

  /** @param key The key in the mapping. */
  id(key: string, path: string, name: string): this {
    this.#add(key, path, { name, presence: false }, Type.STRING);
    return this;
  }

  count(key: string, path: string, name: string, presence: boolean): void {
    const line = `delete this line, ${key}`;
    const remedy = this.role === "sync" ? line : `delete this block, ${this.role.split(".").at(-1)}`;
    this.#add(key, path, { name, presence, type: Type.INT64 }, Type.INT64, remedy);
  }

  /** Returns the message of the list's entries, if there is one. */
  list(key: string, path: string, name: string, message: string): DescMessage | undefined {
    const edit = { name, message, presence: false };
    return this.#add(key, path, edit, Type.MESSAGE, `delete this block, ${name}`)?.message;
  }

  /** Refuses fields that a proto2 contract requires but the SDK doesn't send. */
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
      this.refusals.push(`${field.toString()} is required by the contract, and the SDK does not send it`);
  }

  /**
   * A message that contains the field is copied unchanged: the door (write-door.ts) reads the field through it.
   * @param remedy What to do if the contract has no counts.
   */
  #add(key: string, path: string, edit: FieldEdit, type: Type, remedy?: string): DescField | undefined {
    const place = `${this.role}.${key}`;
    const [found] = unlessRefused(this.refusals, () => {
      const fields = fieldsAt(this.message, path, place, remedy);
      const [field, ...inner] = fields;
      const target = inner.at(-1) ?? field;
      const fits = type === Type.INT64 ? COUNTS.has(target?.proto.type) : target?.proto.type === type;
      if (field === undefined || target === undefined || !fits)
        throw new Refusal(
          `contract/mapping.ts: ${place}: ${target?.toString()} must be ${type === Type.INT64 ? "an integer" : `a ${Type[type]}`}`,
        );
      return { fields, field, target };
    });
    if (found === undefined) return undefined;
    this.#paths.push(found.fields);
    const isDirect = found.fields.length === 1;
    this.edits.set(found.field, isDirect ? edit : { name: found.field.name, presence: true, isPath: true });
    return found.target;
  }
}

function copyOf(name: string, from: DescMessage, { edits }: Parts): MessageCopy {
  return { name, from, edit: (field) => edits.get(field), oneof: "collection" };
}

/** Whether a proto2 contract requires a field. */
export function isRequired({ presence }: DescField): boolean {
  return presence === FeatureSet_FieldPresence.LEGACY_REQUIRED;
}
