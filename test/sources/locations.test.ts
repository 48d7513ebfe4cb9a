import { disposition } from "@saas-management/sdk";
import { fromCsv, fromJsonl, fromPages, located } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { refusalOf } from "../support/source-reading.js";
import { testService } from "../support/test-service.js";

const service = testService();

test("names the line of an invalid record of a CSV file in the issues and in the message of the write", async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => (i === 1040 ? ",x" : `u${i},x`));
  const path = await service.writeFile("users.csv", `id,name\n${rows.join("\n")}\n`);
  const batch = await service.startBatch();
  const users = fromCsv(path, {
    columns: ["id", "name"],
    map: ({ id, name }) => ({ id, name }),
  });
  const { error, issue } = await refusalOf(batch.write("accounts", users));
  expect(issue).toMatchObject({
    collection: "accounts",
    index: 1040,
    location: "users.csv:1042",
    path: "id",
  });
  expect(error.message).toContain("users.csv:1042");
  expect(error.message).not.toContain(service.directory);
});

test("names the line of an invalid record of a JSON Lines file", async () => {
  const path = await service.writeFile("users.jsonl", '{"id":"u1"}\n\n{"id":2}\n');
  const batch = await service.startBatch();
  const { issue } = await refusalOf(batch.write("accounts", fromJsonl(path)));
  expect(issue).toMatchObject({ index: 1, location: "users.jsonl:3" });
});

test("names the page and item of an invalid record in a listing", async () => {
  const source = fromPages(
    async (cursor) => (cursor === undefined ? { items: ["u1", "u2"], next: "2" } : { items: ["u3", ""] }),
    { map: (id) => ({ id }) },
  );
  const batch = await service.startBatch();
  const { issue } = await refusalOf(batch.write("accounts", source));
  expect(issue).toMatchObject({ index: 3, location: "page 2, item 2" });
});

test.each(["array", "writer"])(
  "names the location that located() gave to a record of an %s",
  async (kind) => {
    const ids = Object.freeze(["u1", "", "u3"].map((id) => ({ id })));
    const accounts = located(ids, (index) => `sheet 1, row ${index + 2}`);
    const batch = await service.startBatch();
    const write =
      kind === "array" ? batch.write("accounts", accounts) : batch.writer("accounts").write(accounts);
    expect((await refusalOf(write)).issue).toMatchObject({ index: 1, location: "sheet 1, row 3" });
  },
);

test("says what to do about a bad record, even if the connector first awaits another write", async () => {
  const run = service.run(["accounts"], async (batch) => {
    const users = batch.write("accounts", [{ id: "" }]);
    await batch.write("usage", []);
    await users;
  });
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "BATCH_STATE", cause: { code: "INVALID_INPUT" } });
  expect(disposition(error)).toBe("fix-data");
});

const cursorExpired = Object.assign(new Error("The cursor has expired."), {
  retryable: true,
  retryAfterMs: 0,
});
const readings = [
  ["a total shrinks while it is read", () => ({ items: ["u2"], total: 1 }), "retry-after"],
  ["a total grows while it is read", () => ({ items: ["u2"], total: 9 }), "retry-after"],
  ["a cursor expires, and the error asks for a restart", () => Promise.reject(cursorExpired), "retry-now"],
  ["a page is not a page", () => ({ items: ["u2"], total: -1 }), "fix-data"],
] as const;

test.each(readings)("sends nothing if %s, and says what to do next", async (_, last, next) => {
  const fetch = async (cursor: string | undefined) =>
    cursor === undefined ? { items: ["u1"], next: "2", total: 2 } : last();
  const users = fromPages(fetch, { map: (id) => ({ id }) });
  const run = service.run(["accounts"], (batch) => batch.write("accounts", users));
  expect(disposition(await run.catch((error: unknown) => error))).toBe(next);
  expect(service.states()).toEqual([]);
});
