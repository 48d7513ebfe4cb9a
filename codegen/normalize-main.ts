/** Writes the normalized contract for buf, or lists what the SDK can't carry: `npm run codegen:sync`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { MAPPING } from "../contract/mapping.js";
import { RULES } from "../contract/rules.js";
import { readProtoFiles } from "./contract-files.js";
import { normalize, normalizedRequest } from "./normalize.js";
import { readContract } from "./read-contract.js";
import { Refusal } from "./refusal.js";

const OUTPUT = "build/contract/messages.binpb";

try {
  const normalized = normalize(readProtoFiles("proto"), MAPPING, RULES);
  readContract(normalizedRequest(normalized), RULES);
  mkdirSync(dirname(OUTPUT), { recursive: true });
  writeFileSync(OUTPUT, toBinary(FileDescriptorSetSchema, normalized));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
