/** The contract as protobufjs reads it from the `.proto` files, independently of the SDK. */
import { readdirSync, readFileSync } from "node:fs";
import { createFileRegistry, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";
import { readProtoFiles } from "../../codegen/contract-files.js";
import { normalize } from "../../codegen/normalize.js";
import { MAPPING } from "../../contract/mapping.js";
import { RULES } from "../../contract/rules.js";

const PROTO = new URL("../../proto/saas_management/sync/v1/", import.meta.url);

const root = MAPPING.assumed ? parsedContract() : normalizedContract();
root.resolveAll();

function parsedContract(): protobuf.Root {
  const files = new protobuf.Root();
  files.loadSync("google/protobuf/timestamp.proto");
  for (const name of readdirSync(PROTO)) protobuf.parse(readFileSync(new URL(name, PROTO), "utf8"), files);
  return files;
}

/** An adopted contract may use other names: its numbers and types are compared under the SDK's names. */
function normalizedContract(): protobuf.Root {
  const registry = createFileRegistry(normalize(readProtoFiles("proto"), MAPPING, RULES));
  const files = new protobuf.Root();
  files.loadSync("google/protobuf/timestamp.proto");
  for (const desc of registry) {
    if (desc.kind === "enum")
      files.add(new protobuf.Enum(desc.name, Object.fromEntries(desc.values.map((v) => [v.name, v.number]))));
    if (desc.kind !== "message" || desc.typeName.startsWith("google.")) continue;
    const type = new protobuf.Type(desc.name);
    for (const field of desc.fields) type.add(fieldOf(field));
    for (const { name, fields } of desc.oneofs)
      type.add(
        new protobuf.OneOf(
          name,
          fields.map(({ localName }) => localName),
        ),
      );
    files.add(type);
  }
  return files;
}

function fieldOf(field: DescField): protobuf.FieldBase {
  const { localName, number, message, enum: named, proto } = field;
  if (field.fieldKind === "map") return new protobuf.MapField(localName, number, "string", "string");
  const scalar = Type[proto.type].toLowerCase();
  const type = message === undefined ? (named?.name ?? scalar) : nameOf(message);
  const options = proto.proto3Optional ? { proto3_optional: true } : undefined;
  return new protobuf.Field(
    localName,
    number,
    type,
    field.fieldKind === "list" ? "repeated" : undefined,
    undefined,
    options,
  );
}

function nameOf({ typeName, name }: DescMessage): string {
  return typeName.startsWith("google.") ? `.${typeName}` : name;
}

/** @param name such as `SyncRecordsRequest` */
export function messageType(name: string): protobuf.Type {
  return root.lookupType(name);
}

/** The record type of a collection, such as `Account` of `accounts`. */
export function recordType(collection: string): protobuf.Type {
  return messageOf(messageOf(pathTo(collection).at(-1)).fields["records"]);
}

/** The records of a decoded request, which must have only its batch id and one collection. */
export function recordsIn(request: object, collection: string): readonly unknown[] {
  let holder: unknown = request;
  for (const [depth, { name }] of pathTo(collection).entries()) {
    if (!isForm(holder) || Object.keys(holder).length !== (depth === 0 ? 2 : 1))
      throw new Error(`the request does not have ${collection} alone`);
    holder = holder[name];
  }
  const records = isForm(holder) ? holder["records"] : undefined;
  if (!Array.isArray(records)) throw new Error(`${collection} is not a list`);
  return records;
}

/** The fields from the request down to a collection. */
function pathTo(collection: string): readonly protobuf.Field[] {
  const search = (type: protobuf.Type): readonly protobuf.Field[] | undefined => {
    const own = type.fields[collection];
    if (own !== undefined) return [own];
    for (const field of type.fieldsArray) {
      const below = isOfRecords(field.resolvedType) ? search(field.resolvedType) : undefined;
      if (below !== undefined) return [field, ...below];
    }
    return undefined;
  };
  const path = search(messageType("SyncRecordsRequest"));
  if (path === undefined) throw new Error(`the contract has no ${collection}`);
  return path;
}

/** The message type of a field. */
export function messageOf(field: protobuf.Field | undefined): protobuf.Type {
  const type = field?.resolve().resolvedType;
  if (type instanceof protobuf.Type) return type;
  throw new Error(`${field?.fullName} is not a message`);
}

function isOfRecords(type: protobuf.ReflectionObject | null): type is protobuf.Type {
  return type instanceof protobuf.Type && !type.fullName.startsWith(".google.");
}

function isForm(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
