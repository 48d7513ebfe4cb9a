import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Collection } from "./model.js";

/** Writes collections.ts: what the contract says of each collection. */
export function writeCollections(file: GeneratedFile, collections: readonly Collection[]): void {
  file.print("/** Name, field number, data model and id of each collection of SyncRecordsRequest. */");
  file.print("export const WIRE = {");
  for (const { name, wireName, fieldNumber, model, idField } of collections) {
    const facts = `wireName: "${wireName}", fieldNumber: ${fieldNumber}, model: "${model}"`;
    file.print(`  ${name}: { ${facts}, idField: ${JSON.stringify(idField)} },`);
  }
  file.print("} as const;");
}
