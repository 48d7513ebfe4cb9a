import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { type Contract, readContract } from "../../codegen/model.js";

/** Reads the contract with a change in the records of people. */
async function contractWith(change: (proto: string) => string): Promise<Contract> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    await cp("proto", folder, { recursive: true });
    const path = join(folder, "saas_management/sync/v1/identity_records.proto");
    await writeFile(path, change(await readFile(path, "utf8")));
    const image = execFileSync("node_modules/.bin/buf", ["build", folder, "-o", "-#format=binpb"]);
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
    const request = registry.getMessage("saas_management.sync.v1.SyncRecordsRequest");
    if (request === undefined) throw new Error("The contract has no SyncRecordsRequest.");
    return readContract(request);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("code generation refuses a variant with the name of a generic field", async () => {
  const collides = contractWith((proto) => proto.replace("bamboo_hr = 5", "cost_center = 5"));
  await expect(collides).rejects.toThrow(
    "saas_management.sync.v1.Employee: the variant costCenter has the name of a field of the generic variant.",
  );
});

test("code generation refuses a record without a generic variant", async () => {
  const other = contractWith((proto) => proto.replace("GroupDetails generic = 1", "GroupDetails any = 1"));
  await expect(other).rejects.toThrow("Group: a record must have a variant named generic");
});
