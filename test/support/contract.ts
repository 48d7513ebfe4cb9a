/** The contract as protobufjs reads it from the `.proto` files: an implementation that shares nothing with the SDK. */
import { readdirSync, readFileSync } from "node:fs";
import protobuf from "protobufjs";

const PROTO = new URL("../../proto/saas_management/sync/v1/", import.meta.url);

const root = new protobuf.Root();
// It comes with protobufjs.
root.loadSync("google/protobuf/timestamp.proto");
for (const name of readdirSync(PROTO)) {
  // These declare options, which are not on the wire.
  if (name === "rules.proto") continue;
  protobuf.parse(withoutMessageOptions(readFileSync(new URL(name, PROTO), "utf8")), root);
}
root.resolveAll();

/** protobufjs cannot read a list of messages as an option's value. */
function withoutMessageOptions(source: string): string {
  return source.replace(/option \(message_rules\) = \{.*?\n {2}\};/gs, "");
}

/** A message of the contract by its name, such as `SyncRecordsRequest`. */
export function messageType(name: string): protobuf.Type {
  return root.lookupType(`saas_management.sync.v1.${name}`);
}

/** The message of a collection's records, such as `Account` of `accounts`. */
export function recordType(collection: string): protobuf.Type {
  const list = messageOf(messageType("SyncRecordsRequest").fields[collection]);
  return messageOf(list.fields["records"]);
}

/** The message that a field holds. */
export function messageOf(field: protobuf.Field | undefined): protobuf.Type {
  const type = field?.resolve().resolvedType;
  if (type instanceof protobuf.Type) return type;
  throw new Error(`${field?.fullName} holds no message`);
}
