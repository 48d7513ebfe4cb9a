/** Names in the generated code. */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import type { Collection } from "./model.js";

/** `GenericAccountDetails` -> `genericAccountDetails`: the schema's constant. */
export function schemaName(message: DescMessage): string {
  return message.name.charAt(0).toLowerCase() + message.name.slice(1);
}

/** The record type of a message: `AccountRecord` for a collection's record, else the message's own name. */
export function recordTypeName(message: DescMessage, collections: readonly Collection[]): string {
  return collections.some((c) => c.record === message) ? `${message.name}Record` : message.name;
}

/** `SUBSCRIPTION_MODEL_SEAT_BASED` -> `SEAT_BASED`. The value that means "nothing chosen" is left out. */
export function enumLiterals(type: DescEnum): { readonly literal: string; readonly constant: string }[] {
  const prefix = type.sharedPrefix?.toUpperCase() ?? "";
  return type.values
    .filter((value) => value.number !== 0)
    .map((value) => ({ literal: value.name.slice(prefix.length), constant: value.name }));
}
