/** The comments from a contract's files, moved to the corresponding places in the normalized file. */
import { type AnyDesc, create } from "@bufbuild/protobuf";
import {
  type FileDescriptorProto,
  type SourceCodeInfo_Location,
  SourceCodeInfo_LocationSchema,
} from "@bufbuild/protobuf/wkt";

/** Field numbers of the lists in descriptor.proto. */
const MESSAGES = 4;
const ENUMS = 5;
const NESTED_MESSAGES = 3;
const NESTED_ENUMS = 4;
const FIELDS = 2;
const ONEOFS = 8;
const VALUES = 2;

export class Comments {
  readonly locations: SourceCodeInfo_Location[] = [];
  readonly #files = new Map<FileDescriptorProto, Map<string, SourceCodeInfo_Location>>();

  /** Moves the comment of a descriptor to a path of the new file. */
  move(desc: AnyDesc, path: readonly number[]): void {
    const from = pathOf(desc);
    const found = from && this.#locationsOf(fileOf(desc)).get(from.join());
    if (found === undefined) return;
    const { span, leadingComments, trailingComments } = found;
    this.locations.push(
      create(SourceCodeInfo_LocationSchema, { path: [...path], span, leadingComments, trailingComments }),
    );
  }

  #locationsOf(file: FileDescriptorProto): Map<string, SourceCodeInfo_Location> {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const locations = new Map(file.sourceCodeInfo?.location.map((at) => [at.path.join(), at]));
    this.#files.set(file, locations);
    return locations;
  }
}

function fileOf(desc: AnyDesc): FileDescriptorProto {
  if (desc.kind === "file") return desc.proto;
  if ("file" in desc) return desc.file.proto;
  return fileOf(desc.parent);
}

/** The path of a descriptor in its file. */
function pathOf(desc: AnyDesc): readonly number[] | undefined {
  switch (desc.kind) {
    case "message":
      return desc.parent === undefined
        ? [MESSAGES, desc.file.messages.indexOf(desc)]
        : within(desc.parent, NESTED_MESSAGES, desc.parent.proto.nestedType.indexOf(desc.proto));
    case "enum":
      return desc.parent === undefined
        ? [ENUMS, desc.file.enums.indexOf(desc)]
        : within(desc.parent, NESTED_ENUMS, desc.parent.proto.enumType.indexOf(desc.proto));
    case "field":
      return within(desc.parent, FIELDS, desc.parent.proto.field.indexOf(desc.proto));
    case "oneof":
      return within(desc.parent, ONEOFS, desc.parent.proto.oneofDecl.indexOf(desc.proto));
    case "enum_value":
      return within(desc.parent, VALUES, desc.parent.proto.value.indexOf(desc.proto));
    default:
      return undefined;
  }
}

const within = (parent: AnyDesc, list: number, index: number) => [...(pathOf(parent) ?? []), list, index];
