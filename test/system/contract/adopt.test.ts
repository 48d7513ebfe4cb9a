/** Adopts contracts that are unlike ours in copies of the project, and reads with Python what the SDKs made of them write. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { PythonProgram, skipped, whySkipped } from "../interop/python-program.js";
import { largerSchema } from "./larger-schema.js";

const run = promisify(execFile);
/** Copies, code generation and compilers of a whole project, on a machine that may be busy. */
const TIMEOUT_MS = 480_000;
/** Some that depend on the contract most. All of `npm test` passes too, in minutes. */
const TESTS = ["test/sync/encoders", "test/reference-server/sync-snapshots", "test/graphql/filters"];
const NOT_COPIED = new Set(["node_modules", ".git", "dist", "build"]);

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "adopt-"));
  folders.push(folder);
  return folder;
}

async function copyOfProject(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(".", folder, { recursive: true, filter: (path) => !NOT_COPIED.has(path) });
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Runs `npm run contract` in a copy, and returns what it prints, also if it refuses. */
async function contract(project: string, ...args: string[]): Promise<string> {
  const tsx = ["--tsconfig", "tsconfig.dev.json", "scripts/contract/main.ts", ...args];
  const { stdout } = await run("node_modules/.bin/tsx", tsx, { cwd: project }).catch((error: unknown) =>
    z.object({ stdout: z.string() }).parse(error),
  );
  return stdout;
}

async function testsOf(project: string): Promise<void> {
  await run("node_modules/.bin/vitest", ["run", "--project", "main", ...TESTS], { cwd: project });
}

const received = z.object({
  received: z.array(z.object({ method: z.string(), message: z.record(z.string(), z.unknown()) })),
});
const written = z.object({
  batchId: z.string(),
  written: z.record(z.string(), z.array(z.unknown())),
  completed: z.unknown(),
});

/** Writes with the SDK in `project` to a server in Python of the contract in `protos`. */
async function writeAll(project: string, protos: string, service: string, answers: object) {
  const descriptors = join(await temporaryFolder(), "contract.binpb");
  await run("node_modules/.bin/buf", ["build", protos, "--as-file-descriptor-set", "-o", descriptors]);
  const args = ["--descriptors", descriptors, "--service", service, "--answers", JSON.stringify(answers)];
  const server = new PythonProgram("any_server.py", args);
  try {
    const { endpoint } = z.object({ endpoint: z.string() }).parse(await server.ready);
    const script = ["--tsconfig", "tsconfig.dev.json", "test/system/contract/write-all-script.ts", endpoint];
    const { stdout } = await run("node_modules/.bin/tsx", script, { cwd: project });
    return { ...written.parse(JSON.parse(stdout)), ...received.parse(await server.ask({})) };
  } finally {
    await server.stop();
  }
}

/** The values within a decoded message or a record, with the names of their fields. */
function leaves(value: unknown, name = ""): [name: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap((entry) => leaves(entry, name));
  if (typeof value !== "object" || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, key));
}

/** `full_name` is `fullName`. A key of a map is a value. */
function sdkName(name: string, names: Readonly<Record<string, string>>): string {
  const own = names[name] ?? name;
  return own.includes("-") ? own : own.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** One form of a value: JSON has 64-bit numbers as strings, and enums under names of the contract. */
function plain(value: unknown): unknown {
  return /^\d+$/.test(String(value))
    ? Number(value)
    : String(value).replace(/^[A-Z_]*(SEAT_BASED|USAGE_BASED)$/, "$1");
}

const comparable = (all: [string, unknown][], names: Readonly<Record<string, string>> = {}) =>
  all.map(([name, value]) => `${sdkName(name, names)}: ${plain(value)}`).sort();

describe.skipIf(skipped)(`an adopted contract and a server of it on python3-grpcio${whySkipped}`, () => {
  test("of one file with other names, numbers and levels, and a schema three times as large", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const project = await copyOfProject();
    const folder = await temporaryFolder();
    await cp("test/contract/fixtures/acme", folder, { recursive: true });
    await writeFile(
      join(folder, "acme.graphql"),
      largerSchema(await readFile("schema/schema.graphql", "utf8")),
    );

    const undecided = await contract(project, "adopt", folder);
    expect(undecided).toContain("--name GenericPerson.full_display_name=full_name");
    expect(undecided).toContain("--model agreements=snapshot");
    expect(undecided).toContain("nothing was changed");

    const flags = ["--name", "GenericPerson.full_display_name=full_name", "--model", "agreements=snapshot"];
    const adopted = await contract(project, "adopt", folder, ...flags);
    expect(adopted).toContain("\nAdopted.");
    expect(adopted).toMatch(/^types +ok$/m);
    await testsOf(project);
    expect(adopted).toMatch(/deprecated .*applications\.graphql:\d+: .*portfolioType/);
    expect(await contract(project, "check", "proto")).toContain("Nothing is left to decide.");
    const records = await readFile(join(project, "docs/reference/records.md"), "utf8");
    expect(records).toContain("| `agreements` | flat | **`id`**, `title`, `supplier`, `endsAt`, `renews` |");

    const operations = await readFile(join(project, "src/graphql/generated/operations.ts"), "utf8");
    expect(operations).toMatch(/^ {2}LocalDateOperations: "eq:Date neq:Date/m);
    expect(operations).toContain("$where: ApplicationWhere");

    const { batchId, written, received } = await writeAll(project, folder, "acme.ingest.v3.IngestService", {
      OpenBatch: { batch_uid: "uid-1", lease_seconds: "900" },
      PushRecords: {},
    });
    expect(batchId).toBe("uid-1");
    const [open, ...messages] = received;
    expect(open).toEqual({ method: "OpenBatch", message: { direct_installation_id: "installation-1" } });
    expect(messages.pop()).toEqual({ method: "FinishBatch", message: { batch_uid: "uid-1" } });
    const names = { full_display_name: "fullName" };
    expect(Object.keys(written)).toHaveLength(13);
    for (const [index, [collection, sent]] of Object.entries(written).entries()) {
      const message: {
        snapshot?: Record<string, { items: unknown }>;
        events?: Record<string, { items: unknown }>;
      } = messages[index]?.message ?? {};
      const [[wireName = "", list] = []] = Object.entries({ ...message.snapshot, ...message.events });
      expect(sdkName(wireName, names)).toBe(collection);
      expect(comparable(leaves(list?.items), names)).toEqual(comparable(leaves(sent)));
    }
  });

  test("of nested messages, ids in a header and no presence", { timeout: TIMEOUT_MS }, async () => {
    const project = await copyOfProject();
    const folder = "test/contract/fixtures/nested";
    const adopted = await contract(project, "adopt", folder, "--model", "contracts=event");
    expect(adopted).toContain("\nAdopted.");
    expect(adopted).toMatch(/^types +ok$/m);
    await testsOf(project);
    const service = "northwind.directory.DirectorySync";
    const { written, received } = await writeAll(project, folder, service, {
      Begin: { header: { batch_id: "uid-2" } },
    });
    const [begin, ...messages] = received;
    expect(begin).toEqual({ method: "Begin", message: { target: { installation_id: "installation-1" } } });
    expect(messages.pop()).toEqual({ method: "Commit", message: { header: { batch_id: "uid-2" } } });
    for (const [index, [collection, sent]] of Object.entries(written).entries()) {
      const { header, chunk = {} }: { header?: unknown; chunk?: Record<string, { entries: unknown }> } =
        messages[index]?.message ?? {};
      expect(header).toEqual({ batch_id: "uid-2" });
      const [[wireName = "", list] = []] = Object.entries(chunk);
      expect(sdkName(wireName, {})).toBe(collection);
      expect(comparable(leaves(list?.entries))).toEqual(comparable(leaves(sent)));
    }
  });

  test("of a newer contract: what the SDK does not know is passed over", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const folder = await temporaryFolder();
    await cp("proto", folder, { recursive: true });
    const path = join(folder, "saas_management/sync/v1/sync_service.proto");
    const newer = (await readFile(path, "utf8"))
      .replace(
        "string batch_id = 1;\n}\n\n// Some",
        "string batch_id = 1;\n  string shard = 7;\n}\n\n// Some",
      )
      .replace("accepted_records = 1;", "accepted_records = 1;\n  repeated string warnings = 9;")
      .replace("int64 removed = 4;", "int64 removed = 4;\n  int64 merged = 9;")
      .replace("repeated EventResult events = 2;", "repeated EventResult events = 2;\n  string region = 9;");
    await writeFile(path, newer);
    const added = { collection: "accounts", added: "1", updated: "0", removed: "0", merged: "4" };
    const unknown = { collection: "contracts", added: "2" };
    const { batchId, completed } = await writeAll(".", folder, "saas_management.sync.v1.SyncService", {
      StartSyncBatch: { batch_id: "uid-3", shard: "eu" },
      SyncRecords: { warnings: ["slow"] },
      CompleteSyncBatch: { snapshots: [added, unknown], region: "eu" },
    });
    expect(batchId).toBe("uid-3");
    expect(completed).toEqual({ accounts: { added: 1, updated: 0, removed: 0 } });
  });
});
