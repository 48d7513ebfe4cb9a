import { fromCsv, fromJsonl, fromPages } from "@saas-management/sdk/sources";
import { InvalidInputError } from "@saas-management/sdk/sync";
import { expect, it } from "vitest";
import { recordsOf } from "../support/scripted-sync-server.js";
import { useScriptedServer } from "../support/sync-harness.js";
import { useFiles } from "./files.js";

const files = useFiles();
const harness = useScriptedServer();

async function issuesOf(write: Promise<unknown>): Promise<InvalidInputError> {
  const error: unknown = await write.catch((reason: unknown) => reason);
  if (!(error instanceof InvalidInputError)) throw new Error("expected an InvalidInputError");
  return error;
}

it("an invalid record of a CSV file is named by its line, in the error's issues and in its message", async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => (i === 1040 ? ",x" : `u${i},x`));
  const path = await files.write(`id,name\n${rows.join("\n")}\n`);
  const batch = await harness.startBatch();
  const error = await issuesOf(
    batch.write(
      "accounts",
      fromCsv(path, ({ id, name }) => ({ generic: { id, name } }), { columns: ["id", "name"] }),
    ),
  );
  expect(error.issues).toMatchObject([
    { collection: "accounts", index: 1040, location: "users.csv:1042", path: "generic.id" },
  ]);
  expect(error.message).toContain("(users.csv:1042)");
  expect(error.message).not.toContain(files.folder);
});

it("an invalid record of a JSON Lines file is named by its line", async () => {
  const path = await files.write('{"generic":{"id":"u1"}}\n\n{"generic":{"id":2}}\n', "users.jsonl");
  const batch = await harness.startBatch();
  const error = await issuesOf(batch.write("accounts", fromJsonl(path)));
  expect(error.issues).toMatchObject([{ index: 1, location: "users.jsonl:3" }]);
});

it("an invalid record of a page is named by its page and item", async () => {
  const source = fromPages(
    async (cursor) => ({
      items: cursor === undefined ? ["u1", "u2"] : ["u3", ""],
      next: cursor === undefined ? "2" : null,
    }),
    { map: (id) => ({ generic: { id } }) },
  );
  const batch = await harness.startBatch();
  const error = await issuesOf(batch.write("accounts", source));
  expect(error.issues).toMatchObject([{ index: 3, location: "page 2, item 2" }]);
});

it("a file of many rows arrives as a whole", async () => {
  const path = await files.write(`id\n${Array.from({ length: 20_000 }, (_, i) => `u${i}\n`).join("")}`);
  const batch = await harness.startBatch();
  const { accepted } = await batch.write(
    "accounts",
    fromCsv(path, ({ id }) => ({ generic: { id: id ?? "" } })),
  );
  expect(accepted).toBe(20_000);
  const ids = harness.server.streams.flatMap(({ messages }) => messages).flatMap(recordsOf);
  expect(ids).toHaveLength(20_000);
});

it("a file that cannot be read to its end keeps the batch from being completed", async () => {
  const path = await files.write('id,name\nu1,x\nu2,"cut');
  const batch = await harness.startBatch();
  const write = batch.write(
    "accounts",
    fromCsv(path, ({ id }) => ({ generic: { id: id ?? "" } })),
  );
  await expect(write).rejects.toThrow(/^users\.csv:3 /);
  await expect(batch.complete()).rejects.toMatchObject({ reason: "incomplete" });
});
