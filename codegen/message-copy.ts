import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";

/** How a field changes on its way into the normalized file. */
export interface FieldEdit {
  readonly name: string;
  /** A collection's name in the contract, by which the answer to a completion refers to the collection. */
  readonly jsonName?: string;
  /** The name of the field's message, if it differs from the contract's. */
  readonly message?: string;
  readonly type?: Type;
  /** Whether the field becomes a member of the oneof; on the wire, members of a oneof are like other fields. */
  readonly isAlternative?: boolean;
  /** Whether a part that the SDK needs lies within the field's message, which is then copied unchanged. */
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
