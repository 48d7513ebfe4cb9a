import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { type ExportFormat, type Row, readRows } from "../../examples/connectors/vendor-export/rows.js";
import { rejection } from "../support/promises.js";
import { all } from "../support/source-reading.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type Column = "id" | "name" | "seats" | "active" | "day" | "at";

const folder = temporaryFolder();
const COLUMNS: readonly Column[] = ["id", "name", "seats", "active", "day", "at"];
const HEADER = `${COLUMNS.join(",")}\n`;

async function read<R>(
  content: string,
  toRecord: (row: Row<Column>) => R | undefined,
  format: Partial<ExportFormat<Column>> = {},
): Promise<R[]> {
  const file = pathToFileURL(await folder.write("users.csv", content));
  return all(readRows(file, { columns: COLUMNS, ...format }, toRecord));
}

test("skips title rows of any width and keeps the line numbers", async () => {
  const format = { columns: ["id", "name"], titleRows: 2 } as const;
  const text = "\uFEFFConsole\nMembers,today\nid,name\n1,Anna\n";
  expect(await read(text, (row) => row.text("name"), format)).toEqual(["Anna"]);
  await expect(read(`${text}2\n`, (row) => row, format)).rejects.toMatchObject({
    issues: [{ location: "users.csv:5" }],
  });
});

test("trims cells, and reads each as what its column holds", async () => {
  const row = " 1 , Anna ,12,no,04/01/2023,2026-03-31T08:00:00+02:00\n2,,,,,\n";
  const values = await read(`${HEADER}${row}`, (cells) => [
    cells.required("id"),
    cells.email("name"),
    cells.count("seats"),
    cells.flag("active", "yes", "no"),
    cells.day("day", "YYYY-MM-DD", "MM/DD/YYYY"),
    cells.timestamp("at")?.toISOString(),
  ]);
  expect(values).toEqual([
    ["1", "anna", 12, false, "2023-04-01", "2026-03-31T06:00:00.000Z"],
    ["2", ...Array(5).fill(undefined)],
  ]);
});

test("splits a cell with several values and drops the empty ones", async () => {
  const text = 'id,name\n1," a@x.example;\n b@x.example;"\n2,;\n';
  const lists = await read(text, (row) => [row.list("name", /[;\n]/)], { columns: ["id", "name"] });
  expect(lists).toEqual([[["a@x.example", "b@x.example"]], [undefined]]);
});

test.each([
  ["a missing id", ",Anna,1,yes,,"],
  ["a count with a separator", "1,Anna,1.200,yes,,"],
  ["an unknown word for yes or no", "1,Anna,1,perhaps,,"],
  ["a missing yes or no", "1,Anna,1,,,"],
  ["a date in another format", "1,Anna,1,yes,01.04.2023,"],
  ["a day that does not exist", "1,Anna,1,yes,2023-02-30,"],
  ["a time without an offset", "1,Anna,1,yes,,2026-03-31T08:00:00"],
  ["a time on a day that does not exist", "1,Anna,1,yes,,2026-02-30T08:00:00Z"],
])("rejects %s with the line and without the content", async (_, row) => {
  const failure = await rejection(
    read(`${HEADER}0,Max,5,no,,\n${row}\n`, (cells) => [
      cells.required("id"),
      cells.count("seats"),
      cells.requiredFlag("active", "yes", "no"),
      cells.day("day", "YYYY-MM-DD", "MM/DD/YYYY"),
      cells.timestamp("at"),
    ]),
  );
  expect(String(failure)).toMatch(/^Error: users\.csv:3 must have /);
  expect(String(failure)).not.toMatch(/Anna|1\.200|perhaps|2023-02|01\.04/);
});
