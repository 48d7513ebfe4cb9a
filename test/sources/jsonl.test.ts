import { fromJsonl, InvalidInputError, type JsonlOptions, LOCATE } from "@saas-management/sdk/sources";
import { describe, expect, it } from "vitest";
import { all, inPieces, useFiles } from "./files.js";

const files = useFiles();

async function errorOf(content: string | Uint8Array, options?: JsonlOptions): Promise<InvalidInputError> {
  const path = await files.write(content, "users.jsonl");
  const error: unknown = await all(fromJsonl(path, undefined, options)).catch((reason: unknown) => reason);
  if (!(error instanceof InvalidInputError)) throw new Error("expected an InvalidInputError");
  return error;
}

describe("a JSON Lines file", () => {
  it.each([1, 2, 3, 1000])("gives the value of each line, cut into pieces of %i bytes", async (size) => {
    const text = '\uFEFF{"id":"ü"}\r\n\n  \n{"id":"2"}\n{"id":"3"}';
    const source = fromJsonl(inPieces(text, size));
    expect(await all(source)).toEqual([{ id: "ü" }, { id: "2" }, { id: "3" }]);
    expect(source.figures).toEqual({ read: 3, leftOut: 0 });
  });

  it("may have a key __proto__, which changes no prototype", async () => {
    const [value] = await all(fromJsonl<object>(inPieces('{"__proto__":{"admin":true}}\n', 9)));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value ?? {})).toEqual(["__proto__"]);
  });

  it("is mapped, with the place of each value", async () => {
    const path = await files.write('{"id":1}\n\n{"id":2}\n{"id":3}\n', "users.jsonl");
    const source = fromJsonl(path, (value, { line }) => (line === 3 ? undefined : { value, line }));
    for await (const records of source) {
      expect([...records]).toEqual([
        { value: { id: 1 }, line: 1 },
        { value: { id: 3 }, line: 4 },
      ]);
      expect(records[LOCATE](1)).toBe("users.jsonl:4");
    }
    expect(source.figures).toEqual({ read: 3, leftOut: 1 });
  });

  it.each(["", "\n", "\uFEFF", " \r\n\r\n"])(
    "of %j alone is refused, unless that is said to be fine",
    async (text) => {
      expect((await errorOf(text)).message).toMatch(/^users\.jsonl is empty/);
      const path = await files.write(text, "users.jsonl");
      expect(await all(fromJsonl(path, undefined, { allowEmpty: true }))).toEqual([]);
    },
  );

  it("whose values are all left out is not empty", async () => {
    expect(await all(fromJsonl(await files.write("1\n", "users.jsonl"), () => undefined))).toEqual([]);
  });
});

describe("refused with the line, and without the contents, is", () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ["a line that is not JSON", '{"id":1}\ns3cret\n{"id":2}\n', /^users\.jsonl:2 is not valid JSON/],
    ["a last line that was cut", '{"id":1}\n{"id":"s3cret', /^users\.jsonl:2 is not valid JSON.*truncated/],
    [
      "a byte that is not UTF-8",
      Buffer.from('{"id":1}\n{"id":"\xebs3cret"}\n', "latin1"),
      /^users\.jsonl:2 is not valid UTF-8/,
    ],
  ])("%s", async (_, content, expected) => {
    const error = await errorOf(content);
    expect(error.message).toMatch(expected);
    expect(JSON.stringify([error, error.issues, String(error.cause)])).not.toContain("s3cret");
  });

  it.each(["{}\n[1234567]\n{}\n", "{}\n[1234567]"])(
    "a line that is longer than maxLineBytes",
    async (content) => {
      expect((await errorOf(content, { maxLineBytes: 8 })).message).toMatch(
        /^users\.jsonl:2 is longer than 8 bytes/,
      );
      const path = await files.write(content, "users.jsonl");
      expect(await all(fromJsonl(path, undefined, { maxLineBytes: 9 }))).toContainEqual([1234567]);
    },
  );
});
