import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";

/** How a field changes on its way into the normalized file. */
export interface FieldEdit {
  readonly name: string;
  /** A collection's name in the contract, which the response to a completion uses. */
  readonly jsonName?: string;
  /** The name of the field's message, if it differs from the contract's. */
  readonly message?: string;
  readonly type?: Type;
  /** Whether the field becomes a member of the oneof; on the wire, members of a oneof are like other fields. */
  readonly isAlternative?: boolean;
  /** Whether the SDK needs a field inside the field's message; the message is then copied unchanged. */
  readonly isPath?: boolean;
  /** Whether an absent value differs from the default. */
  readonly presence: boolean;
}

export interface MessageCopy {
  readonly name: string;
  readonly from: DescMessage;
  /** Returns undefined to leave a field out. */
  readonly edit: (field: DescField) => FieldEdit | undefined;
  readonly oneof: string;
}
