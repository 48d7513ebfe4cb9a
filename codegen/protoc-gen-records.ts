#!/usr/bin/env -S npx tsx
/**
 * protoc plugin: reads the normalized contract (normalize.ts) and its overlay (contract/), the only description of the
 * records. Writes record types, encoders, zod schemas, the facts of each collection and the door to the messages.
 */
import { fileURLToPath } from "node:url";
import { createEcmaScriptPlugin, runNodeJs, type Schema } from "@bufbuild/protoplugin";
import { MAPPING } from "../contract/mapping.js";
import { RULES } from "../contract/rules.js";
import type { Mapping, Rules } from "../contract/types.js";
import { readContract } from "./read-contract.js";
import { writeBlocks } from "./write-blocks.js";
import { writeCollections } from "./write-collections.js";
import { writeDoor } from "./write-door.js";
import { writeEncoders } from "./write-encoders.js";
import { writeFields } from "./write-fields.js";
import { writeRecords } from "./write-records.js";
import { writeSchemas } from "./write-schemas.js";
import { writeServer } from "./write-server.js";

export function recordsPlugin(mapping: Mapping, rules: Rules) {
  const generateTs = (schema: Schema) => generate(schema, mapping, rules);
  return createEcmaScriptPlugin({ name: "protoc-gen-records", version: "v1", generateTs });
}

function generate(schema: Schema, mapping: Mapping, rules: Rules): void {
  const request = schema.files.flatMap((file) => file.messages).find((m) => m.name === "SyncRecordsRequest");
  if (request === undefined) return;
  const contract = readContract(request, rules);
  const file = (name: string) => {
    const generated = schema.generateFile(name);
    generated.preamble(request.file);
    return generated;
  };
  writeCollections(file("collections.ts"), contract, mapping);
  writeFields(file("fields.ts"), contract);
  writeRecords(file("records.ts"), contract);
  const encoders = file("encoders.ts");
  writeEncoders(encoders, contract);
  writeBlocks(encoders, contract);
  writeSchemas(file("schemas.ts"), contract);
  writeServer(file("server.ts"), contract);
  writeDoor(file("contract.ts"), contract, mapping);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runNodeJs(recordsPlugin(MAPPING, RULES));
