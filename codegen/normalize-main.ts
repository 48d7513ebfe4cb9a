/** Writes the normalized contract, from which buf generates code: `npm run codegen:sync`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { MAPPING } from "../contract/mapping.js";
import { RULES } from "../contract/rules.js";
import { readProtoFiles } from "./contract-files.js";
import { normalize } from "./normalize.js";

const OUTPUT = "build/contract/messages.binpb";

mkdirSync(dirname(OUTPUT), { recursive: true });
writeFileSync(OUTPUT, toBinary(FileDescriptorSetSchema, normalize(readProtoFiles("proto"), MAPPING, RULES)));
