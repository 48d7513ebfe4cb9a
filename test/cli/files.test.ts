/** Files that people really have: `push` sends their records, or names the faulty place and says what to do. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { fileConnector } from "../../src/cli/push/connector.js";
import { isCollection, isSnapshot } from "../../src/sync/collections.js";
import { testService } from "../support/test-service.js";

interface FieldFile {
  readonly what: string;
  readonly file: string;
  /** The file's text, or its bytes in base64. */
  readonly content?: string;
  readonly base64?: string;
  /** The records that the service has after the push; absent if the file is refused. */
  readonly records?: readonly object[];
  readonly refused?: string;
}

const service = testService();

const lines = (await readFile(new URL("files.jsonl", import.meta.url), "utf8")).trim().split("\n");
const FILES: readonly FieldFile[] = lines.map((line) => JSON.parse(line));

function collectionOf(file: string) {
  const [name = ""] = file.split(".");
  if (isCollection(name) && isSnapshot(name)) return name;
  throw new Error(`${file} is of no snapshot.`);
}

async function push(file: string, content: string | Uint8Array) {
  const collection = collectionOf(file);
  const path = await service.writeFile(file, content);
  const format = file.endsWith(".jsonl") ? "jsonl" : "csv";
  const connector = fileConnector([{ collection, path, format }], { note: () => {}, warn: () => {} }, false);
  const { installationId } = service;
  return service.sync.run(connector, { installationId, ledger: "none" });
}

test.each(FILES)("$what: $file", async ({ file, content = "", base64, records, refused }) => {
  const pushed = push(file, base64 === undefined ? content : Buffer.from(base64, "base64"));
  if (refused !== undefined) {
    await expect(pushed).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(refused),
    });
    expect(service.inspect().batches).toEqual([]);
    return;
  }
  await pushed;
  expect(service.inspect().snapshots[collectionOf(file)].map(({ record }) => record)).toEqual(records);
});

test("accepts a cell of up to 16 MiB, and refuses a longer one", async () => {
  const file = (length: number) => `id,name\nu1,${"x".repeat(length)}\n`;
  await push("accounts.csv", file(15 * 2 ** 20));
  await expect(push("accounts.csv", file(17 * 2 ** 20))).rejects.toThrow("accounts.csv:2 is longer than");
});
