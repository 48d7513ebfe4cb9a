/** The contract as protobufjs reads it from the `.proto` files: an implementation that shares nothing with the SDK. */
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const PACKAGE = "saas_management.sync.v1";
const PROTO = fileURLToPath(new URL("../../proto/", import.meta.url));

const root = new protobuf.Root();
root.resolvePath = (_origin, target) =>
  target === "google/protobuf/descriptor.proto"
    ? fileURLToPath(import.meta.resolve(`protobufjs/${target}`))
    : target.startsWith("google/")
      ? target // comes with protobufjs itself
      : `${PROTO}${target}`;
root.loadSync("saas_management/sync/v1/sync_service.proto").resolveAll();

/** A message of the contract by its name, such as `SyncRecordsRequest`. */
export function messageType(name: string): protobuf.Type {
  return root.lookupType(`${PACKAGE}.${name}`);
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
