/** The code of a contract: src for the current contract, freshly generated code for any other. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { create, type FileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  type FileDescriptorSet,
} from "@bufbuild/protobuf/wkt";
import { parse } from "yaml";
import { z } from "zod";
import { readProtoFiles } from "../../codegen/contract-files.js";
import type { Collection } from "../../codegen/model.js";
import { normalize, normalizedRequest } from "../../codegen/normalize.js";
import { recordsPlugin } from "../../codegen/protoc-gen-records.js";
import { readContract } from "../../codegen/read-contract.js";
import { getOrAdd } from "../../src/reference-server/values.js";
import type { MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import type { BlockEncoder } from "../../src/sync/encoding/record-block.js";
import type { MessageEncoder } from "../../src/sync/encoding/record-writer.js";
import type { SyncServiceService } from "../../src/sync/generated/contract.js";
import { type ContractFixture, IN_PLACE } from "./fixtures.js";

export interface ContractCode {
  readonly WIRE: Readonly<Record<string, ConstructorParameters<typeof MessageBuilder>[1]>>;
  readonly ENCODERS: Readonly<Record<string, MessageEncoder>>;
  readonly BLOCK_ENCODERS: Readonly<Record<string, BlockEncoder>>;
  readonly MessageBuilder: typeof MessageBuilder;
  readonly SyncServiceService: typeof SyncServiceService;
}

const plugins = z.object({ plugins: z.array(z.object({ opt: z.array(z.string()).optional() })) });
const SRC = resolve("src");
const MESSAGE_BUILDER = "sync/encoding/message-builder.ts";

const registries = new Map<string, FileRegistry>();

/** The service's own descriptors, untouched by code generation. */
export function originalsOf({ folder }: ContractFixture): FileRegistry {
  return getOrAdd(registries, folder, () => readProtoFiles(folder));
}

function normalized(contract: ContractFixture): FileDescriptorSet {
  return normalize(originalsOf(contract), contract.mapping, contract.rules);
}

export function collectionsOf(contract: ContractFixture): readonly Collection[] {
  return readContract(normalizedRequest(normalized(contract)), contract.rules).collections;
}

/** The collections of the current contract. */
export const contractCollections = () => collectionsOf(IN_PLACE);

/** Generates the code of a contract as `npm run codegen` does, into a folder that stands for src. */
export function generate(contract: ContractFixture, into: string): void {
  const files = normalized(contract);
  const { plugins: templates } = plugins.parse(parse(readFileSync("buf.gen.yaml", "utf8")));
  const [messages, records] = templates.map(({ opt = [] }) => requestOf(files, opt.join(",")));
  if (messages === undefined || records === undefined) throw new Error("buf.gen.yaml has other plugins.");
  const input = toBinary(CodeGeneratorRequestSchema, messages);
  const output = execFileSync("node_modules/.bin/protoc-gen-ts_proto", { input, maxBuffer: 2 ** 26 });
  for (const { name, content } of [
    ...fromBinary(CodeGeneratorResponseSchema, output).file,
    ...recordsPlugin(contract.mapping, contract.rules).run(records).file,
  ]) {
    const path = join(into, "sync/generated", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function requestOf({ file }: FileDescriptorSet, parameter: string) {
  const fileToGenerate = file.map(({ name }) => name);
  return create(CodeGeneratorRequestSchema, { fileToGenerate, protoFile: file, parameter });
}

const codes = new Map<string, Promise<ContractCode>>();

/** Generates the code, and loads it together with the unchanged rest of src. */
export function codeOf(contract: ContractFixture): Promise<ContractCode> {
  return getOrAdd(codes, contract.folder, () => load(contract));
}

async function load(contract: ContractFixture): Promise<ContractCode> {
  const into = resolve("build/contract-code", basename(contract.folder));
  generate(contract, into);
  mkdirSync(join(into, dirname(MESSAGE_BUILDER)), { recursive: true });
  cpSync(join(SRC, MESSAGE_BUILDER), join(into, MESSAGE_BUILDER));
  for (const path of ["collections", "encoders", "contract"].map((name) => `sync/generated/${name}.ts`))
    importFromSrc(into, path);
  importFromSrc(into, MESSAGE_BUILDER);
  const part = (path: string): Promise<ContractCode> => import(join(into, path));
  const { WIRE } = await part("sync/generated/collections.ts");
  const { ENCODERS, BLOCK_ENCODERS } = await part("sync/generated/encoders.ts");
  const { SyncServiceService } = await part("sync/generated/contract.ts");
  const { MessageBuilder } = await part(MESSAGE_BUILDER);
  return { WIRE, ENCODERS, BLOCK_ENCODERS, MessageBuilder, SyncServiceService };
}

function importFromSrc(folder: string, path: string): void {
  const source = readFileSync(join(folder, path), "utf8");
  const imported = source.replace(/from "(\..+)\.js"/g, (statement, module: string) => {
    const target = `${join(dirname(path), module)}.ts`;
    return existsSync(join(folder, target)) ? statement : `from "${join(SRC, target)}"`;
  });
  writeFileSync(join(folder, path), imported);
}
