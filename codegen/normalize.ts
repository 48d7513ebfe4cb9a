/**
 * Puts the service's contract into the form that the SDK is generated from: the same field numbers and wire types under
 * the SDK's own names, in one file, so that names in generated code don't depend on those in the contract.
 *
 * Messages of the operations keep only the fields that the SDK uses. The rules decide whether a record's field has
 * presence, without changing a byte: only required fields that can't be 0 or empty, such as strings, have none.
 */
import {
  create,
  createFileRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  type FileRegistry,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  MessageOptionsSchema,
  OneofDescriptorProtoSchema,
  type ServiceDescriptorProto,
  ServiceDescriptorProtoSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { Mapping, Rules } from "../contract/types.js";
import { GENERIC, Names } from "./contract-names.js";
import type { FieldEdit, MessageCopy } from "./message-copy.js";
import { enumLiterals } from "./names.js";
import { Refusal, unlessRefused } from "./refusal.js";
import { isRequired, roleMessages } from "./role-messages.js";
import { findRoles, METHOD_NAMES, ROLES } from "./roles.js";
import { isLeftOut, unmetLeftOut } from "./rule-targets.js";
import { Comments } from "./source-comments.js";

const NORMALIZED_FILE = "messages.proto";

/** @throws Refusal */
export function normalize(registry: FileRegistry, mapping: Mapping, rules: Rules): FileDescriptorSet {
  const refusals: string[] = [];
  const roles = findRoles(registry, mapping, refusals);
  const names = new Names(mapping.names);
  const builder = new Builder(roles.service.file.proto.package, names, rules, refusals);
  for (const copy of roleMessages(roles, mapping, rules, names, refusals)) builder.add(copy);
  refusals.push(...names.unmet(registry), ...unmetLeftOut(rules, registry, names));
  if (refusals.length > 0) throw new Refusal(refusals.join("\n"));
  const file = builder.build();
  const imports = file.dependency.flatMap((name) => registry.getFile(name)?.proto ?? []);
  return create(FileDescriptorSetSchema, { file: [...imports, file] });
}

/** The request of a normalized contract. */
export function normalizedRequest(files: FileDescriptorSet): DescMessage {
  for (const desc of createFileRegistry(files))
    if (desc.kind === "message" && desc.file.name === "messages" && desc.name === "SyncRecordsRequest")
      return desc;
  throw new Error("The normalized contract has no SyncRecordsRequest.");
}

class Builder {
  readonly #messages: DescriptorProto[] = [];
  readonly #enums: EnumDescriptorProto[] = [];
  /** The messages and enums by their names in the new file. */
  readonly #taken = new Map<string, DescMessage | DescEnum>();
  readonly #imports = new Set<string>();
  readonly #comments = new Comments();

  constructor(
    readonly packageName: string,
    readonly names: Names,
    readonly rules: Rules,
    readonly refusals: string[],
  ) {}

  build() {
    return create(FileDescriptorProtoSchema, {
      name: NORMALIZED_FILE,
      package: this.packageName,
      syntax: "proto3",
      dependency: [...this.#imports],
      messageType: this.#messages,
      enumType: this.#enums,
      service: [this.#service()],
      sourceCodeInfo: { location: this.#comments.locations },
    });
  }

  /** Only the bench needs a service: it compares the SDK with clients that other libraries generate from it. */
  #service(): ServiceDescriptorProto {
    const method = ROLES.map((role) => ({
      name: METHOD_NAMES[role],
      inputType: this.#local(`${METHOD_NAMES[role]}Request`),
      outputType: this.#local(`${METHOD_NAMES[role]}Response`),
      clientStreaming: role === "sync",
    }));
    return create(ServiceDescriptorProtoSchema, { name: "SyncService", method });
  }

  add({ name, from, edit, oneof }: MessageCopy): void {
    if (this.#isKnown(name, from)) return;
    const path = [4, this.#messages.length];
    const message = create(DescriptorProtoSchema, { name });
    this.#messages.push(message);
    this.#comments.move(from, path);
    const kept = from.fields.flatMap((field) => {
      const [change] = unlessRefused(this.refusals, () => plainEncoded(field, edit(field)));
      return change === undefined ? [] : [{ field, change }];
    });
    const alternative = kept.find(({ change }) => change.isAlternative)?.field;
    if (alternative !== undefined) {
      message.oneofDecl.push(create(OneofDescriptorProtoSchema, { name: oneof }));
      if (alternative.oneof !== undefined) this.#comments.move(alternative.oneof, [...path, 8, 0]);
    }
    for (const [index, { field, change }] of kept.entries()) {
      message.field.push(this.#field(message, field, change));
      this.#comments.move(field, [...path, 2, index]);
    }
  }

  /** The name of a record's message or enum in the new file. Adds the message or enum if it's missing. */
  #reference(desc: DescMessage | DescEnum, isPath = false): string {
    if (desc.typeName.startsWith("google.")) {
      this.#imports.add(`${desc.file.name}.proto`);
      return `.${desc.typeName}`;
    }
    const name = this.names.type(desc);
    if (desc.kind === "enum") this.#addEnum(name, desc);
    else
      this.add({
        name,
        from: desc,
        edit: (field) => (isPath ? { name: field.name, presence: true, isPath } : this.#recordField(field)),
        oneof: "variant",
      });
    return this.#local(name);
  }

  #recordField(field: DescField): FieldEdit | undefined {
    const name = this.names.field(field);
    const message = this.names.type(field.parent);
    const place = `contract/rules.ts, messages.${message}.fields.${name}`;
    const required = this.rules.messages[message]?.fields?.[name]?.required === true;
    if (isRequired(field) && !required)
      throw new Refusal(`${field.toString()} is required by the contract: ${place}: { required: true }`);
    if (isLeftOut(field, this.rules, this.names)) return undefined;
    const variants = this.#variantsOf(field.parent);
    if (variants.includes(field)) return { name, presence: true, isAlternative: true };
    const rivals = field.oneof?.fields.filter((each) => !isLeftOut(each, this.rules, this.names)) ?? [];
    if (variants.length > 0 || rivals.length > 1)
      throw new Refusal(
        `${field.toString()}: the SDK cannot carry a oneof ${variants.length > 0 ? "beside other fields" : "of values"}. Leave out this or the others: ${place}: { leftOut: true }`,
      );
    const neverDefault =
      (field.fieldKind === "enum" && enumLiterals(field.enum).every(({ number }) => number !== 0)) ||
      (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING);
    return { name, presence: !(required && neverDefault) };
  }

  /** The members of a message's oneof, or the messages of a record without a oneof. */
  #variantsOf({ oneofs, fields }: DescMessage): readonly DescField[] {
    const isKept = (field: DescField) => !isLeftOut(field, this.rules, this.names);
    const isMessage = (field: DescField) =>
      field.fieldKind === "message" && !field.message.typeName.startsWith("google.");
    const kept = oneofs.map((oneof) => oneof.fields.filter(isKept));
    const alternatives = kept.find((members) => members.length > 0 && members.every(isMessage));
    if (alternatives !== undefined) return alternatives;
    const isRecord = fields.some((field) => this.names.field(field) === GENERIC && isMessage(field));
    return isRecord ? fields.filter(isMessage) : [];
  }

  #field(parent: DescriptorProto, field: DescField, change: FieldEdit): FieldDescriptorProto {
    const { name, presence, type = field.proto.type } = change;
    const made = create(FieldDescriptorProtoSchema, {
      name,
      jsonName: change.jsonName ?? camelCase(name),
      number: field.number,
      label: field.proto.label === Label.REPEATED ? Label.REPEATED : Label.OPTIONAL,
      type,
    });
    if (field.proto.options?.deprecated) made.options = field.proto.options;
    if (field.fieldKind === "map") made.typeName = this.#mapEntry(parent, field, name);
    else if (change.message !== undefined) made.typeName = this.#local(change.message);
    else if (field.message !== undefined) made.typeName = this.#reference(field.message, change.isPath);
    else if (field.enum !== undefined) made.typeName = this.#reference(field.enum);
    if (change.isAlternative) made.oneofIndex = 0;
    else if (presence && field.fieldKind !== "list" && field.fieldKind !== "map") {
      made.proto3Optional = true;
      made.oneofIndex = parent.oneofDecl.length;
      parent.oneofDecl.push(create(OneofDescriptorProtoSchema, { name: `_${name}` }));
    }
    return made;
  }

  #mapEntry(parent: DescriptorProto, field: DescField & { readonly fieldKind: "map" }, name: string): string {
    const entryName = `${camelCase(`_${name}`)}Entry`;
    const value = field.message ?? field.enum;
    const [, original] =
      field.parent.proto.nestedType.find((type) => field.proto.typeName.endsWith(`.${type.name}`))?.field ??
      [];
    const entry = (label: string, number: number, type: Type, typeName = "") =>
      create(FieldDescriptorProtoSchema, {
        name: label,
        jsonName: label,
        number,
        label: Label.OPTIONAL,
        type,
        typeName,
      });
    parent.nestedType.push(
      create(DescriptorProtoSchema, {
        name: entryName,
        field: [
          entry("key", 1, field.mapKey as number as Type),
          entry("value", 2, original?.type ?? Type.STRING, value && this.#reference(value)),
        ],
        options: create(MessageOptionsSchema, { mapEntry: true }),
      }),
    );
    return `${this.#local(parent.name)}.${entryName}`;
  }

  #addEnum(name: string, desc: DescEnum): void {
    if (this.#isKnown(name, desc)) return;
    const path = [5, this.#enums.length];
    this.#comments.move(desc, path);
    for (const [index, value] of desc.values.entries()) this.#comments.move(value, [...path, 2, index]);
    const value = desc.values.map((v) => ({ name: this.names.value(v), number: v.number }));
    this.#enums.push(create(EnumDescriptorProtoSchema, { name, value, options: desc.proto.options }));
  }

  #isKnown(name: string, desc: DescMessage | DescEnum): boolean {
    const known = this.#taken.get(name);
    this.#taken.set(name, desc);
    if (known === undefined || known === desc) return known !== undefined;
    throw new Refusal(
      `contract/mapping.ts: names: ${known.typeName} and ${desc.typeName} are both named ${name}; name one of them`,
    );
  }

  #local(name: string): string {
    return this.packageName === "" ? `.${name}` : `.${this.packageName}.${name}`;
  }
}

function plainEncoded(field: DescField, edit: FieldEdit | undefined): FieldEdit | undefined {
  if (edit !== undefined && "delimitedEncoding" in field && field.delimitedEncoding)
    throw new Refusal(
      `${field.toString()}: the SDK cannot carry delimited messages. Leave the field out in contract/rules.ts: { leftOut: true }`,
    );
  return edit;
}

function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
