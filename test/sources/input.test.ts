import { readdirSync, readlinkSync } from "node:fs";
import { appendFile, open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { platform } from "node:process";
import { createInterface } from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { inspect } from "node:util";
import { type FileInput, fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { all, inPieces, refusalOf } from "../support/source-reading.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
const INVALID = { code: "INVALID_INPUT" };

/** Enough rows for many chunks. */
const LONG = `id\n${Array.from({ length: 60_000 }, (_, i) => `user-${i}\n`).join("")}`;

const idsOf = (input: FileInput, signal?: AbortSignal) => fromCsv(input, { map: ({ id }) => id, signal });

/** Files of the folder that this process holds open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder.path) ? [target] : [];
    } catch {
      return [];
    }
  });
}

test("names a missing file by its base name only", async () => {
  const { error } = await refusalOf(all(idsOf(join(folder.path, "nobody.csv"))));
  expect(error.message).toContain("nobody.csv");
  // The operating system's error contains the whole path.
  expect(inspect(error, { depth: 9 }).split("\n")[0]).not.toContain(folder.path);
  expect(error.cause).toBeUndefined();
});

test("rejects a directory", async () => {
  await expect(all(fromJsonl(folder.path))).rejects.toMatchObject(INVALID);
});

test("reads a file again from the beginning", async () => {
  const source = idsOf(await folder.write("users.csv", LONG));
  const first = await all(source);
  expect(first).toHaveLength(60_000);
  expect(await all(source)).toEqual(first);
  expect(source.stats.read).toBe(60_000);
});

test("rejects a file that is written to while it is read", async () => {
  const path = await folder.write("users.csv", LONG);
  const iterator = idsOf(path)[Symbol.asyncIterator]();
  await iterator.next();
  await appendFile(path, "one-more\n");
  const rest = async () => {
    while ((await iterator.next()).done !== true);
  };
  await expect(rest()).rejects.toMatchObject(INVALID);
});

test("follows a link, and can use another name in locations", async () => {
  const link = join(folder.path, "link.csv");
  await symlink(await folder.write("users.csv", "id,name\n1\n"), link);
  const { issue } = await refusalOf(all(fromCsv(link, { map: (row) => row, name: "export" })));
  expect(issue).toMatchObject({ location: "export:2" });
});

test.runIf(platform === "linux")(
  "closes the file if the reader stops early or a row is rejected",
  async () => {
    for await (const some of idsOf(await folder.write("users.csv", LONG))) {
      expect(some.length).toBeGreaterThan(0);
      expect(openFiles()).toHaveLength(1);
      break;
    }
    expect(openFiles()).toEqual([]);
    await refusalOf(all(idsOf(await folder.write("users.csv", `${LONG}x,y\n`))));
    expect(openFiles()).toEqual([]);
  },
);

test.each<[string, () => AsyncIterable<Uint8Array | string>]>([
  ["of Node", () => Readable.from(["id\n1\n", "2\n"])],
  ["of the web", () => new Blob(["id\n1\n2\n"]).stream()],
  ["of a generator", () => inPieces("id\n1\n2\n", 2)],
])("reads a stream %s once, and rejects a second iteration", async (_, make) => {
  const source = idsOf(make());
  expect(await all(source)).toEqual(["1", "2"]);
  await expect(async () => all(source)).rejects.toMatchObject(INVALID);
});

test("rejects a stream that something else has consumed", async () => {
  const stream = Readable.from([Buffer.from("id\n1\n")]);
  await buffer(stream);
  await expect(async () => all(fromJsonl(stream))).rejects.toMatchObject(INVALID);
  const web = new Blob(["id\n1\n"]).stream();
  await web.cancel();
  await expect(async () => all(fromJsonl(web))).rejects.toMatchObject(INVALID);
});

test.each<[string, () => Promise<AsyncIterable<string>>]>([
  ["a file handle", async () => (await open(await folder.write("users.csv", "id\n1\n"))).readLines()],
  ["readline", async () => createInterface({ input: Readable.from(["id\n1\n"]) })],
  ["an array", async () => Readable.from(["id,name", "1,Ann", "2,Bo"])],
])("rejects the lines of %s, which would look like one long header", async (_, lines) => {
  await expect(all(idsOf(await lines()))).rejects.toMatchObject(INVALID);
});

test("rethrows the error of a stream", async () => {
  const own = new Error("connection reset");
  async function* broken() {
    yield "id\n1\n";
    throw own;
  }
  await expect(all(idsOf(broken()))).rejects.toBe(own);
});

test("destroys a stream if its reader stops while a chunk is pending", async () => {
  const stream = new Readable({ read() {} });
  stream.push("id\n1\n");
  const iterator = idsOf(stream)[Symbol.asyncIterator]();
  const pending = iterator.next().catch(() => {});
  stream.push("2\n");
  await pending;
  const owed = iterator.next().catch(() => {});
  await iterator.return?.();
  await owed;
  expect(stream.destroyed).toBe(true);
});

test("rejects with the signal's reason if a stream ends because of the signal", async () => {
  const stop = new AbortController();
  const reason = new Error("SIGTERM");
  async function* quiet() {
    yield "id\n1\n";
    stop.abort(reason);
  }
  await expect(all(idsOf(quiet(), stop.signal))).rejects.toBe(reason);
});

test("rejects with the signal's reason while a Node stream has a chunk pending, and destroys the stream", async () => {
  const stop = new AbortController();
  const reason = new Error("SIGTERM");
  const stream = new PassThrough();
  setImmediate(() => stop.abort(reason));
  await expect(all(idsOf(stream, stop.signal))).rejects.toBe(reason);
  expect(stream.destroyed).toBe(true);
});

test("rejects with the signal's reason while any other stream has a chunk pending, and calls its return() once", async () => {
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
  await expect(all(idsOf(stream, stop.signal))).rejects.toBe(reason);
  expect(returned).toBe(1);
});
