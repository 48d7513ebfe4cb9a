import { readdirSync, readlinkSync } from "node:fs";
import { appendFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { platform } from "node:process";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { inspect } from "node:util";
import { fromCsv, fromJsonl, InvalidInputError } from "@saas-management/sdk/sources";
import { describe, expect, it } from "vitest";
import { all, inPieces, useFiles } from "./files.js";

const files = useFiles();

/** Long enough to be read in many chunks. */
const LONG = `id\n${Array.from({ length: 60_000 }, (_, i) => `user-${i}\n`).join("")}`;

/** Files of the folder that this process holds open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(files.folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

describe("a file", () => {
  it("that does not exist is named by its base name", async () => {
    const source = fromCsv(join(files.folder, "nobody.csv"), (row) => row);
    const error: unknown = await all(source).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(inspect(error)).toContain("nobody.csv does not exist.");
    // The system's own error has the whole path.
    expect(inspect(error, { depth: 9 }).split("\n")[0]).not.toContain(files.folder);
    expect(error).not.toHaveProperty("cause");
  });

  it("that is a directory is refused", async () => {
    await expect(all(fromJsonl(files.folder))).rejects.toThrow(/is a directory/);
  });

  it("can be read again from its beginning, as a restart of a run does", async () => {
    const source = fromCsv(await files.write(LONG), ({ id }) => id);
    const first = await all(source);
    expect(first).toHaveLength(60_000);
    expect(await all(source)).toEqual(first);
    expect(source.figures.read).toBe(60_000);
  });

  it("that is written to while it is read is refused", async () => {
    const path = await files.write(LONG);
    const iterator = fromCsv(path, ({ id }) => id)[Symbol.asyncIterator]();
    await iterator.next();
    await appendFile(path, "one-more\n");
    const rest = async () => {
      while ((await iterator.next()).done !== true);
    };
    await expect(rest()).rejects.toThrow(/^users\.csv was written to while it was read/);
  });

  it("may be behind a link, and may be given another name", async () => {
    const path = await files.write("id,name\n1\n");
    const link = join(files.folder, "link.csv");
    await symlink(path, link);
    await expect(all(fromCsv(link, (row) => row, { name: "export" }))).rejects.toThrow(
      /^export:2 has 1 cells/,
    );
  });

  it.runIf(platform === "linux")(
    "is closed when its reader stops early, and when a row is refused",
    async () => {
      const source = fromCsv(await files.write(LONG), ({ id }) => id);
      for await (const some of source) {
        expect(some.length).toBeGreaterThan(0);
        expect(openFiles()).toHaveLength(1);
        break;
      }
      expect(openFiles()).toEqual([]);
      await expect(all(fromCsv(await files.write(`${LONG}x,y\n`), (row) => row))).rejects.toThrow(
        /users\.csv:60002/,
      );
      expect(openFiles()).toEqual([]);
    },
  );
});

describe("a stream", () => {
  it.each<[string, () => AsyncIterable<Uint8Array | string>]>([
    ["of Node", () => Readable.from(["id\n1\n", Buffer.from("2\n")])],
    ["of the web", () => new Blob(["id\n1\n2\n"]).stream()],
    ["of a generator", () => inPieces("id\n1\n2\n", 2)],
  ])("%s is read once, and refused the second time instead of looking empty", async (_, open) => {
    const source = fromCsv(open(), ({ id }) => id);
    expect(await all(source)).toEqual(["1", "2"]);
    await expect(async () => all(source)).rejects.toThrow(/^stream was read before/);
  });

  it("that somebody else has read is refused", async () => {
    const stream = Readable.from([Buffer.from("id\n1\n")]);
    await buffer(stream);
    await expect(async () => all(fromJsonl(stream))).rejects.toThrow(/was read before/);
    const web = new Blob(["id\n1\n"]).stream();
    await web.cancel();
    await expect(async () => all(fromJsonl(web))).rejects.toThrow(/was read before/);
  });

  it("that fails hands its own exception on", async () => {
    const own = new Error("connection reset");
    async function* broken() {
      yield "id\n1\n";
      throw own;
    }
    await expect(all(fromCsv(broken(), (row) => row))).rejects.toBe(own);
  });

  it("is destroyed when its reader stops, also while it owes a chunk", async () => {
    const stream = new Readable({ read() {} });
    stream.push("id\n1\n");
    const iterator = fromCsv(stream, ({ id }) => id)[Symbol.asyncIterator]();
    const pending = iterator.next().catch(() => {});
    stream.push("2\n");
    await pending;
    const owed = iterator.next().catch(() => {});
    await iterator.return?.();
    await owed;
    expect(stream.destroyed).toBe(true);
  });

  it("is not at its end when it ends because the signal fired", async () => {
    const stop = new AbortController();
    const reason = new Error("SIGTERM");
    async function* quiet() {
      yield "id\n1\n";
      stop.abort(reason);
    }
    await expect(all(fromCsv(quiet(), (row) => row, { signal: stop.signal }))).rejects.toBe(reason);
  });

  it("ends when the signal fires although a Node stream owes a chunk, and the stream is destroyed", async () => {
    const stop = new AbortController();
    const reason = new Error("SIGTERM");
    const stream = new PassThrough();
    const reading = all(fromJsonl(stream, undefined, { signal: stop.signal }));
    setImmediate(() => stop.abort(reason));
    await expect(reading).rejects.toBe(reason);
    expect(stream.destroyed).toBe(true);
  });

  it("ends when the signal fires although another stream owes a chunk, and the stream is told to return once", async () => {
    const stop = new AbortController();
    const reason = new Error("SIGTERM");
    let returned = 0;
    const stream = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          setImmediate(() => stop.abort(reason));
          return new Promise<IteratorResult<string>>(() => {});
        },
        return: async () => {
          returned += 1;
          return { done: true as const, value: undefined };
        },
      }),
    };
    await expect(all(fromCsv(stream, (row) => row, { signal: stop.signal }))).rejects.toBe(reason);
    expect(returned).toBe(1);
  });
});
