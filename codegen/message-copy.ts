import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";

/** How a field changes on its way into the normalized file. */
export interface FieldEdit {
  readonly name: string;
  /** A collection's own name in the contract, by which completions tell of it. */
  readonly jsonName?: string;
  /** The name of its message, if that is not the message's own. */
  readonly message?: string;
  readonly type?: Type;
  /** It is one of alternatives: on the wire, members of a oneof are like other fields. */
  readonly isAlternative?: boolean;
  /** Its message leads to a part, and is copied as it is. */
  readonly isPath?: boolean;
  /** Whether an absent value is told from the default. */
  readonly presence: boolean;
}

export interface MessageCopy {
  readonly name: string;
  readonly from: DescMessage;
  /** Returns undefined for a field that is left out. */
  readonly edit: (field: DescField) => FieldEdit | undefined;
  readonly oneof: string;
}
