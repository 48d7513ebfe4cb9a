/** The collections of the contract that is adopted, as code generation reads them. */
import { createFileRegistry } from "@bufbuild/protobuf";
import { readProtoFiles } from "../../codegen/contract-files.js";
import type { Collection } from "../../codegen/model.js";
import { normalize } from "../../codegen/normalize.js";
import { readContract } from "../../codegen/read-contract.js";
import { MAPPING } from "../../contract/mapping.js";
import { RULES } from "../../contract/rules.js";

export function contractCollections(): readonly Collection[] {
  const registry = createFileRegistry(normalize(readProtoFiles("proto"), MAPPING, RULES));
  const request = [...registry].find((desc) => desc.kind === "message" && desc.name === "SyncRecordsRequest");
  if (request?.kind !== "message") throw new Error("The contract has no SyncRecordsRequest.");
  return readContract(request, RULES).collections;
}
