import { BinaryReader } from "@bufbuild/protobuf/wire";
import { status } from "@grpc/grpc-js";
import { WIRE } from "../../sync/generated/collections.js";
import { SyncRecordsRequest } from "../../sync/generated/contract.js";
import { wireName } from "../values.js";
import type { Collection, MessageOf } from "../workspace.js";
import { violationOf } from "./record-rules.js";
import { Refusal } from "./refusal.js";
import type { CollectionMessage } from "./stores.js";

/** A proto3 parser must refuse strings that are not UTF-8; the generated code would replace bad bytes. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decode<T>(type: { readonly decode: (reader: BinaryReader) => T }, bytes: Uint8Array): T {
  try {
    return type.decode(new BinaryReader(bytes, (text) => utf8.decode(text)));
  } catch {
    throw new Refusal(status.INVALID_ARGUMENT, "The request is not a valid protobuf message.");
  }
}

export function decodeRecordsMessage(bytes: Uint8Array): {
  readonly batchId: string;
  readonly collection: NonNullable<SyncRecordsRequest["collection"]>;
} {
  const { batchId, collection } = decode(SyncRecordsRequest, bytes);
  if (collection === undefined) {
    throw new Refusal(status.INVALID_ARGUMENT, "The message has no collection. Set exactly one.");
  }
  if (decode({ decode: countCollections }, bytes) > 1) {
    throw new Refusal(status.INVALID_ARGUMENT, "The message has more than one collection. Set exactly one.");
  }
  return { batchId, collection };
}

export function requireId(field: string, id: string): void {
  if (id === "") throw new Refusal(status.INVALID_ARGUMENT, `\`${field}\` is missing.`);
}

/** The records of a message. If one of them is invalid, the whole message is refused. */
export function validRecords<C extends Collection>({
  $case,
  value,
}: CollectionMessage<C>): readonly MessageOf<C>[] {
  for (const [index, record] of value.records.entries()) {
    const found = violationOf($case, record);
    if (found === undefined) continue;
    const subject = found.field === "" ? "It" : `\`${wireName(found.field)}\``;
    throw new Refusal(
      status.INVALID_ARGUMENT,
      `Record ${index} of \`${WIRE[$case].wireName}\` in this message is invalid. ${subject} ${found.problem}.`,
    );
  }
  return value.records;
}

/** Counts collections on the wire: a decoder keeps the last member of a oneof and would silently drop the others. */
function countCollections(reader: BinaryReader): number {
  let count = 0;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (COLLECTION_FIELDS.has(field)) count++;
    reader.skip(wireType, field);
  }
  return count;
}

/** Field numbers of SyncRecordsRequest that hold collections. */
const COLLECTION_FIELDS: ReadonlySet<number> = new Set(
  Object.values(WIRE).map(({ path: [number] }) => number),
);
