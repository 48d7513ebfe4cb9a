#!/usr/bin/env -S npx tsx
/**
 * protoc plugin: writes record types, encoders, zod schemas, and the facts and counted fields of each collection from the
 * messages and rules (rules.proto) of the Sync API contract, so that records are described in the `.proto` only.
 */
import { createEcmaScriptPlugin, runNodeJs, type Schema } from "@bufbuild/protoplugin";
import { readContract } from "./model.js";
import { writeCollections } from "./write-collections.js";
import { writeEncoders } from "./write-encoders.js";
import { writeProfiles } from "./write-profiles.js";
import { writeRecords } from "./write-records.js";
import { writeSchemas } from "./write-schemas.js";

function generate(schema: Schema): void {
  const request = schema.files.flatMap((file) => file.messages).find((m) => m.name === "SyncRecordsRequest");
  if (request === undefined) return;
  const contract = readContract(request);
  const file = (name: string) => {
    const generated = schema.generateFile(name);
    generated.preamble(request.file);
    return generated;
  };
  writeCollections(file("collections.ts"), contract);
  writeProfiles(file("profiles.ts"), contract);
  writeRecords(file("records.ts"), contract);
  writeEncoders(file("encoders.ts"), contract);
  writeSchemas(file("schemas.ts"), contract);
}

runNodeJs(createEcmaScriptPlugin({ name: "protoc-gen-records", version: "v1", generateTs: generate }));
