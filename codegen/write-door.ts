import type { DescEnum } from "@bufbuild/protobuf";
import type { GeneratedFile } from "@bufbuild/protoplugin";
import { GRAPHQL } from "../contract/graphql.js";
import type { Mapping } from "../contract/types.js";
import type { Contract, Field, Model } from "./model.js";
import { enumLiterals } from "./names.js";
import { METHOD_NAMES, ROLES } from "./roles.js";
import { adaptersFor } from "./write-adapters.js";

/**
 * Writes contract.ts, through which the rest of the code reaches the messages and the service. The file's names don't
 * depend on the contract that it was generated from.
 */
export function writeDoor(file: GeneratedFile, contract: Contract, mapping: Mapping): void {
  const { file: normalized } = contract.request;
  const adapters = adaptersFor(contract, mapping);
  const adapted = new Set(adapters.map(({ name }) => name));
  const direct = normalized.messages.map(({ name }) => name).filter((name) => !adapted.has(name));
  const messages = [...direct, ...normalized.enums.map(({ name }) => name)].sort();
  file.print('import type { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";');
  const used = [
    ...ROLES.flatMap((role) => roleNames(METHOD_NAMES[role])),
    ...adapters.flatMap(({ uses }) => uses),
  ];
  const imports = [...new Set(used)].filter((name) => !adapted.has(name)).sort();
  file.print("import {");
  for (const name of imports) file.print(`  ${name},`);
  for (const { name } of adapters) file.print(`  ${name} as Wire${name},`);
  file.print('} from "./messages.js";');
  file.print();
  file.print('export type { Timestamp } from "./google/protobuf/timestamp.js";');
  file.print("export {");
  for (const name of messages) file.print(`  ${name},`);
  file.print('} from "./messages.js";');
  file.print();
  file.print(CODEC);
  for (const { code } of adapters) {
    file.print();
    file.print(code);
  }
  file.print();
  writeService(file, mapping);
  file.print();
  file.print("/** Key of the trailing metadata that contains the state of a batch. */");
  file.print(`export const BATCH_STATE_KEY = ${JSON.stringify(mapping.batchState)};`);
  file.print();
  file.print("/** How JSON represents the scalars of the GraphQL schema. */");
  file.print(
    `export const SCALAR_KINDS: Readonly<Record<string, string>> = ${JSON.stringify(GRAPHQL.scalars)};`,
  );
  file.print();
  writeEnums(file, contract);
}

const CODEC = `interface Codec<Message> {
  encode(message: Message, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): Message;
}

function method<Request, Response, Streamed extends boolean>(
  path: string,
  requestStream: Streamed,
  request: Codec<Request>,
  response: Codec<Response>,
) {
  return {
    path,
    requestStream,
    responseStream: false as const,
    requestSerialize: (value: Request): Buffer => Buffer.from(request.encode(value).finish()),
    requestDeserialize: request.decode,
    responseSerialize: (value: Response): Buffer => Buffer.from(response.encode(value).finish()),
    responseDeserialize: response.decode,
  };
}`;

function roleNames(method: string): string[] {
  return [`${method}Request`, `${method}Response`];
}

function writeService(file: GeneratedFile, { service, methods }: Mapping): void {
  file.print("/** The methods of the service. */");
  file.print("export const SyncServiceService = {");
  for (const role of ROLES) {
    const name = METHOD_NAMES[role];
    const path = JSON.stringify(`/${service}/${methods[role]}`);
    const member = name.charAt(0).toLowerCase() + name.slice(1);
    file.print(`  ${member}: method(${path}, ${role === "sync"}, ${roleNames(name).join(", ")}),`);
  }
  file.print("};");
}

/** Writes the values of enums as users write them, by collection and path of the field. */
function writeEnums(file: GeneratedFile, { collections }: Contract): void {
  file.print(
    "/** The values of enums in records, as users write them: by collection, path of the field and number. */",
  );
  file.print(
    "export const ENUM_VALUES: Readonly<Record<string, Readonly<Record<string, Readonly<Record<number, string>>>>>> = {",
  );
  for (const { name, record } of collections) {
    const entries = [...enumsIn(record, "")].map(([path, type]) => {
      const values = enumLiterals(type).map(({ number, literal }) => `${number}: "${literal}"`);
      return `"${path}": { ${values.join(", ")} }`;
    });
    if (entries.length > 0) file.print(`  ${name}: { ${entries.join(", ")} },`);
  }
  file.print("};");
}

function* enumsIn(model: Model, path: string): Iterable<readonly [string, DescEnum]> {
  if (model.kind === "fields") {
    for (const field of model.fields) yield* enumsOf(field, `${path}${field.name}`);
    return;
  }
  if (model.generic !== undefined) yield* enumsIn(model.generic.model, path);
  for (const { name, model: variant } of model.variants) yield* enumsIn(variant, `${path}${name}.`);
}

function* enumsOf({ type }: Field, path: string): Iterable<readonly [string, DescEnum]> {
  if (type.kind === "enum") yield [path, type.type];
  if (type.kind === "message") yield* enumsIn(type.model, `${path}.`);
}
