/** Names of the generated code. */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";

/** `GenericAccountDetails` -> `genericAccountDetails`: the name of its schema and of its encoder. */
export function schemaName(message: DescMessage): string {
  return message.name.charAt(0).toLowerCase() + message.name.slice(1);
}

/** `Account` -> `AccountRecord`. */
export function recordTypeName(message: DescMessage): string {
  return `${message.name.replace(/^Externally(?=Discovered)/, "")}Record`;
}

/** `MicrosoftEmployeeDetails` -> `MicrosoftEmployee`. */
export function variantTypeName(message: DescMessage): string {
  return message.name.replace(/Details$/, "");
}

/** A value of an enum as users write it. */
export interface EnumLiteral {
  readonly literal: string;
  /** The value's name in the `.proto`. */
  readonly constant: string;
  readonly number: number;
}

/** `SUBSCRIPTION_MODEL_SEAT_BASED` -> `SEAT_BASED`. Leaves out the zero value if it's named "unspecified". */
export function enumLiterals(type: DescEnum): EnumLiteral[] {
  const prefix = type.sharedPrefix?.toUpperCase() ?? "";
  return type.values
    .filter(({ name, number }) => number !== 0 || !name.endsWith("UNSPECIFIED"))
    .map(({ name, number }) => ({ literal: name.slice(prefix.length), constant: name, number }));
}
