import { InvalidInputError } from "@saas-management/sdk";
import { fromJsonl } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { locationOf } from "../../src/core/record-location.js";
import { all, refusalOf } from "../support/source-reading.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type JsonlOptions = Parameters<typeof fromJsonl>[1];

const folder = temporaryFolder();

async function read(content: string | Uint8Array, options?: JsonlOptions) {
  return all(fromJsonl(await folder.write("users.jsonl", content), options));
}

test("passes the line of each value to map", async () => {
  const path = await folder.write("users.jsonl", '{"id":1}\n\n{"id":2}\n{"id":3}\n');
  const source = fromJsonl(path, { map: (value, { line }) => (line === 3 ? undefined : { value, line }) });
  for await (const records of source) {
    expect([...records]).toEqual([
      { value: { id: 1 }, line: 1 },
      { value: { id: 3 }, line: 4 },
    ]);
    expect(locationOf(records, 1)).toBe("users.jsonl:4");
  }
  expect(source.stats).toEqual({ read: 3, skipped: 1 });
});

test.each(["", "\n", "\uFEFF", " \r\n\r\n"])(
  "rejects a file of %j alone unless allowEmpty is set",
  async (text) => {
    expect((await refusalOf(read(text))).issue).toMatchObject({ location: "users.jsonl" });
    expect(await read(text, { allowEmpty: true })).toEqual([]);
  },
);

test("accepts a file if map skips all its values", async () => {
  const path = await folder.write("users.jsonl", "1\n");
  expect(await all(fromJsonl(path, { map: () => undefined }))).toEqual([]);
});

/** With quotes, this is longer than a line may be. */
const LONGEST = "x".repeat(16 * 1024 * 1024 - 1);

test.each<[string, string | Uint8Array]>([
  ["a line that is not JSON", '{"id":1}\ns3cret\n{"id":2}\n'],
  ["a truncated last line", '{"id":1}\n{"id":"s3cret'],
  ["a byte that is not UTF-8", Buffer.from('{"id":1}\n{"id":"\xebs3cret"}\n', "latin1")],
  ["a line over 16 MiB", `{}\n"${LONGEST}"\n{}\n`],
  ["a last line over 16 MiB", `{}\n"${LONGEST}"`],
])("rejects %s with the line and without the contents", async (_, content) => {
  const { error, issue } = await refusalOf(read(content));
  expect(issue).toMatchObject({ location: "users.jsonl:2" });
  expect(JSON.stringify([error, error.issues, String(error.cause)])).not.toContain("s3cret");
});

test.each(["utf-16le", "utf-16be", "windows-1252"] as const)(
  "decodes %s when you follow the error's advice",
  async (encoding) => {
    const wide = Buffer.from('\uFEFF{"id":"Zoë"}\n{"id":"Ċ"}\n', "utf16le");
    const bytes = {
      "utf-16le": wide,
      "utf-16be": Buffer.from(wide).swap16(),
      "windows-1252": Buffer.from('{"id":"Zoë"}\n{"id":"\x8a"}\n', "latin1"),
    }[encoding];
    expect((await refusalOf(read(bytes))).error.message).toMatch(/encoding/);
    expect(await read(bytes, { encoding })).toEqual([
      { id: "Zoë" },
      { id: encoding === "windows-1252" ? "Š" : "Ċ" },
    ]);
  },
);

test("accepts a line of exactly 16 MiB", async () => {
  const longest = LONGEST.slice(1);
  expect((await read(`{}\n"${longest}"\n`))[1] === longest).toBe(true);
});

test("rejects an unknown option at once", () => {
  const options = { name: "users.jsonl", encodng: "utf-8" };
  expect(() => fromJsonl("users.jsonl", options)).toThrow(InvalidInputError);
});
