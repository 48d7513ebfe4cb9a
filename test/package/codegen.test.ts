import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { readProtoFiles } from "../../codegen/contract-files.js";
import type { Contract } from "../../codegen/model.js";
import { normalize } from "../../codegen/normalize.js";
import { readContract } from "../../codegen/read-contract.js";
import { MAPPING } from "../../contract/mapping.js";
import { RULES } from "../../contract/rules.js";
import type { Mapping, Rules } from "../../contract/types.js";
import { testOfAssumedContract } from "../support/adopted.js";

interface Changes {
  /** A change of the records of people. */
  readonly proto?: (proto: string) => string;
  readonly mapping?: Partial<Mapping>;
  readonly rules?: Partial<Rules>;
}

/** Reads the contract with changes, as code generation does. */
async function contractWith({ proto = (same) => same, mapping, rules }: Changes): Promise<Contract> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    await cp("proto", folder, { recursive: true });
    const path = join(folder, "saas_management/sync/v1/identity_records.proto");
    await writeFile(path, proto(await readFile(path, "utf8")));
    const allRules = { ...RULES, ...rules };
    const files = normalize(readProtoFiles(folder), { ...MAPPING, ...mapping }, allRules);
    const request = createFileRegistry(files).getMessage("saas_management.sync.v1.SyncRecordsRequest");
    if (request === undefined) throw new Error("The contract has no SyncRecordsRequest.");
    return readContract(request, allRules);
  } finally {
    await rm(folder, { recursive: true });
  }
}

testOfAssumedContract("code generation refuses a variant with the name of a generic field", async () => {
  const collides = contractWith({ proto: (proto) => proto.replace("bamboo_hr = 5", "cost_center = 5") });
  await expect(collides).rejects.toThrow(
    "saas_management.sync.v1.Employee: the variant costCenter has the name of a field of the generic variant.",
  );
});

testOfAssumedContract("code generation refuses a record without a generic variant", async () => {
  const other = contractWith({
    proto: (proto) => proto.replace("GroupDetails generic = 1", "GroupDetails any = 1"),
  });
  await expect(other).rejects.toThrow("Group: a record must have a variant named generic");
});

testOfAssumedContract("code generation names each rule without a target, and the likely one", async () => {
  const renamed = contractWith({
    proto: (proto) =>
      proto
        .replace("string full_name = 2", "string display_full_name = 2")
        .replaceAll("GenericGroupDetails", "AnyGroupDetails"),
  });
  await expect(renamed).rejects.toThrow(
    "contract/rules.ts: messages.GenericEmployeeDetails.full_name: the contract has no such field; likely display_full_name\n" +
      "contract/rules.ts: messages.GenericGroupDetails: the contract has no such message; likely AnyGroupDetails",
  );
});

testOfAssumedContract(
  "code generation names a part of the mapping that the contract does not have",
  async () => {
    const methods = { ...MAPPING.methods, complete: "FinishSyncBatch" };
    await expect(contractWith({ mapping: { methods } })).rejects.toThrow(
      "contract/mapping.ts: methods.complete: saas_management.sync.v1.SyncService has no method FinishSyncBatch; likely",
    );
  },
);

testOfAssumedContract(
  "code generation needs to know whether a collection is a snapshot or an event",
  async () => {
    const { devices: _, ...collections } = RULES.collections;
    await expect(contractWith({ rules: { collections } })).rejects.toThrow(
      "contract/rules.ts: collections.devices: is it a snapshot or an event?",
    );
  },
);

testOfAssumedContract("a field that the overlay does not know is optional", async () => {
  const { collections } = await contractWith({
    proto: (proto) =>
      proto.replace("string full_name = 2;", "string full_name = 2;\n  string pronouns = 40;"),
  });
  const fields = collections.find(({ name }) => name === "employees")?.record.generic.model.fields;
  expect(fields?.at(-1)).toMatchObject({ name: "attributes" });
  expect(fields?.find(({ name }) => name === "pronouns")).toMatchObject({ number: 40, required: false });
});

testOfAssumedContract("names of the mapping take the place of the contract's", async () => {
  const { collections } = await contractWith({
    proto: (proto) =>
      proto
        .replace("string full_name = 2", "string display_name = 2")
        .replaceAll("GenericEmployeeDetails", "Person"),
    mapping: { names: { Person: "GenericEmployeeDetails", "Person.display_name": "full_name" } },
  });
  const model = collections.find(({ name }) => name === "employees")?.record.generic.model;
  expect(model?.message.name).toBe("GenericEmployeeDetails");
  expect(model?.fields.find(({ number }) => number === 2)).toMatchObject({
    name: "fullName",
    required: true,
  });
});
