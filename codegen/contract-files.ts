/** Reads a folder of `.proto` files as descriptors. */
import { execFileSync } from "node:child_process";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const BUF = "node_modules/.bin/buf";

/** @throws Error with the compiler's messages */
export function readProtoFiles(folder: string): FileRegistry {
  const image = execFileSync(BUF, ["build", folder, "-o", "-#format=binpb"], {
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
}
