/**
 * Puts the service's contract into the form that the SDK is generated from: the same field numbers and wire types under
 * the SDK's own names, in one file, so that generated code has the same names whatever the contract's are.
 *
 * Messages of the operations keep only the fields that play a part. Whether a field has presence is chosen by its rules,
 * which changes no byte: a required string or enum is never the default, and all else must be distinguished from it.
 */
import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type FileRegistry,
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
import { roleMessages } from "./role-messages.js";
import { findRoles, METHOD_NAMES, ROLES } from "./roles.js";
import { Comments } from "./source-comments.js";

const NORMALIZED_FILE = "messages.proto";

/** @param leaveOut Gets the fields beside the variants of a record, which the SDK does not write. */
export function normalize(
  registry: FileRegistry,
  mapping: Mapping,
  rules: Rules,
  leaveOut: (field: DescField) => void = () => {},
): FileDescriptorSet {
  const roles = findRoles(registry, mapping);
  const names = new Names(mapping.names);
  const builder = new Builder(roles.service.file.proto.package, names, rules, leaveOut);
  for (const copy of roleMessages(roles, mapping, names)) builder.add(copy);
  const file = builder.build();
  const imports = file.dependency.flatMap((name) => registry.getFile(name)?.proto ?? []);
  return create(FileDescriptorSetSchema, { file: [...imports, file] });
}

class Builder {
  readonly #messages: DescriptorProto[] = [];
  readonly #enums: EnumDescriptorProto[] = [];
  /** What has which name in the new file. */
  readonly #taken = new Map<string, DescMessage | DescEnum>();
  readonly #imports = new Set<string>();
  readonly #comments = new Comments();

  constructor(
    readonly packageName: string,
    readonly names: Names,
    readonly rules: Rules,
    readonly leaveOut: (field: DescField) => void,
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

  /** Generated clients of other libraries, which the bench compares with, call by it. */
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
      const change = edit(field);
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

  /** The name of a record's message or enum in the new file; the message or enum is added if it is missing. */
  #reference(desc: DescMessage | DescEnum): string {
    if (desc.typeName.startsWith("google.")) {
      this.#imports.add(`${desc.file.name}.proto`);
      return `.${desc.typeName}`;
    }
    const name = this.names.type(desc);
    if (desc.kind === "enum") this.#addEnum(name, desc);
    else this.add({ name, from: desc, edit: (field) => this.#recordField(name, field), oneof: "variant" });
    return this.#local(name);
  }

  #recordField(message: string, field: DescField): FieldEdit | undefined {
    const name = this.names.field(field);
    const variants = this.#variantsOf(field.parent);
    if (variants.includes(field)) return { name, presence: true, isAlternative: true };
    if (variants.length > 0) {
      this.leaveOut(field);
      return undefined;
    }
    const required = this.rules.messages[message]?.fields?.[name]?.required === true;
    const neverDefault = field.fieldKind === "enum" || (field.fieldKind === "scalar" && field.scalar === 9);
    return { name, presence: !(required && neverDefault) };
  }

  /** The members of a message's oneof, or, of a record without one, its messages. */
  #variantsOf({ oneofs: [oneof], fields }: DescMessage): readonly DescField[] {
    if (oneof !== undefined) return oneof.fields;
    const isMessage = (field: DescField) =>
      field.fieldKind === "message" && !field.message.typeName.startsWith("google.");
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
    else if (field.message !== undefined) made.typeName = this.#reference(field.message);
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
    const entryName = `${capitalized(camelCase(name))}Entry`;
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
    throw new Error(
      `contract/mapping.ts: names: ${known.typeName} and ${desc.typeName} are both named ${name}; name one of them`,
    );
  }

  #local(name: string): string {
    return this.packageName === "" ? `.${name}` : `.${this.packageName}.${name}`;
  }
}

function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
