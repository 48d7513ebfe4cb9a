/** The contract as protobufjs reads it from the `.proto` files, independently of the SDK. */
import { readdirSync, readFileSync } from "node:fs";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor/index.js";
import { readProtoFiles } from "../../codegen/contract-files.js";
import { normalize } from "../../codegen/normalize.js";
import { MAPPING } from "../../contract/mapping.js";
import { RULES } from "../../contract/rules.js";

const PROTO = new URL("../../proto/saas_management/sync/v1/", import.meta.url);

const root = Object.keys(MAPPING.names).length === 0 ? parsedContract() : normalizedContract();
root.resolveAll();

function parsedContract(): protobuf.Root {
  const files = new protobuf.Root();
  files.loadSync("google/protobuf/timestamp.proto");
  for (const name of readdirSync(PROTO)) protobuf.parse(readFileSync(new URL(name, PROTO), "utf8"), files);
  return files;
}

/** An adopted contract has other names: its numbers and types count, under the SDK's names. */
function normalizedContract(): protobuf.Root {
  const files = normalize(readProtoFiles("proto"), MAPPING, RULES);
  return Reflect.get(protobuf.Root, "fromDescriptor").call(
    protobuf.Root,
    toBinary(FileDescriptorSetSchema, files),
  );
}

/** @param name such as `SyncRecordsRequest` */
export function messageType(name: string): protobuf.Type {
  return root.lookupType(name);
}

/** The record type of a collection, such as `Account` of `accounts`. */
export function recordType(collection: string): protobuf.Type {
  const list = messageOf(messageType("SyncRecordsRequest").fields[collection]);
  return messageOf(list.fields["records"]);
}

/** The message type of a field. */
export function messageOf(field: protobuf.Field | undefined): protobuf.Type {
  const type = field?.resolve().resolvedType;
  if (type instanceof protobuf.Type) return type;
  throw new Error(`${field?.fullName} is not a message`);
}

/** Full names of the fields of a record, and `without …` for each field that it lacks. */
export function* fieldsIn(type: protobuf.Type, form: Readonly<Record<string, unknown>>): Iterable<string> {
  for (const { name, fullName, resolvedType } of type.fieldsArray) {
    const value = form[name];
    yield value === undefined ? `without ${fullName}` : fullName;
    if (isOfRecords(resolvedType) && isForm(value)) yield* fieldsIn(resolvedType, value);
  }
}

/** The same for all fields that valid records may have or lack. */
export function* possibleFields(type: protobuf.Type): Iterable<string> {
  for (const { name, fullName, options, repeated, map, resolvedType } of type.fieldsArray) {
    yield fullName;
    const mayLack = repeated || map || options?.["proto3_optional"] === true;
    const rule = RULES.messages[type.name]?.fields?.[snakeCase(name)];
    const required = rule?.required === true || rule?.requiredWhen !== undefined;
    if (mayLack && !required) yield `without ${fullName}`;
    if (isOfRecords(resolvedType)) yield* possibleFields(resolvedType);
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isOfRecords(type: protobuf.ReflectionObject | null): type is protobuf.Type {
  return type instanceof protobuf.Type && !type.fullName.startsWith(".google.");
}

function isForm(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
