import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Collection } from "./model.js";

/** Writes collections.ts: what the wire and the service say of each collection. */
export function writeCollections(file: GeneratedFile, collections: readonly Collection[]): void {
  file.print("/** Name, field number and data model of each collection of SyncRecordsRequest. */");
  file.print("export const WIRE = {");
  for (const { name, wireName, fieldNumber, model } of collections) {
    file.print(`  ${name}: { wireName: "${wireName}", fieldNumber: ${fieldNumber}, model: "${model}" },`);
  }
  file.print("} as const;");
}
