import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry } from "@bufbuild/protobuf";
import { expect, onTestFinished } from "vitest";
import { readProtoFiles } from "../../codegen/contract-files.js";
import { normalize } from "../../codegen/normalize.js";
import { findCollections } from "../../codegen/roles.js";
import { leftOut, type Plan, planProto } from "../../scripts/contract/plan.js";
import { testOfAssumedContract } from "../support/adopted.js";

const NOTHING_DECIDED = { names: {}, models: {}, drop: [], scalars: {}, likely: false };

/** What adopting the assumed contract with an edit of its files would change. */
async function planOf(
  edit: (proto: string) => string,
): Promise<{ readonly folder: string; readonly plan: Plan }> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp("proto", folder, { recursive: true });
  for (const path of await readdir(folder, { recursive: true })) {
    if (!path.endsWith(".proto")) continue;
    const file = join(folder, path);
    await writeFile(file, edit(await readFile(file, "utf8")));
  }
  return { folder, plan: planProto(folder, NOTHING_DECIDED) };
}

function pathsIn(folder: string, { mapping, rules }: Plan): readonly string[] {
  const registry = createFileRegistry(normalize(readProtoFiles(folder), mapping, rules));
  const request = [...registry].find((desc) => desc.kind === "message" && desc.name === "SyncRecordsRequest");
  if (request?.kind !== "message") throw new Error("no request");
  return findCollections(request).map(
    ({ field, path }) => `${field.name} ${path.map((f) => f.number).join(".")}`,
  );
}

testOfAssumedContract("collections may be fields without a oneof", async () => {
  const { folder, plan } = await planOf((proto) => proto.replace(/oneof collection \{([^}]*)\}/, "$1"));
  expect(plan.mapping.sync.collections).toBe("*");
  expect(pathsIn(folder, plan)).toEqual(
    pathsIn("proto", await planOf((same) => same).then((same) => same.plan)),
  );
});

testOfAssumedContract("an assumed number does not make one field of another", async () => {
  const { plan } = await planOf((proto) => proto.replace("string target_id = 4", "string ip_address = 4"));
  const about = plan.findings.map(({ kind, subject }) => `${kind} ${subject}`);
  expect(about).toEqual([
    "missing GenericAuditLogDetails.target_id",
    "new GenericAuditLogDetails.ip_address",
  ]);
  expect(plan.mapping.names).toEqual({});
});

testOfAssumedContract(
  "fields beside the variants of a record, and lists that are no collections, are left out",
  async () => {
    const { folder, plan } = await planOf((proto) =>
      proto
        .replace("message Group {", "message Group {\n  string etag = 9;")
        .replace(/oneof collection \{([^}]*)\}/, "$1 repeated string tags = 40;"),
    );
    expect(leftOut(folder, plan)).toEqual([
      expect.stringContaining("SyncRecordsRequest.tags: not written"),
      expect.stringContaining("Group.etag: it is beside the variants"),
    ]);
  },
);
