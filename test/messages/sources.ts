import { Readable } from "node:stream";
import { fromCsv, fromPages } from "@saas-management/sdk/sources";
import { all } from "../support/source-reading.js";

const rowsOf = (text: string) =>
  all(fromCsv(Readable.from([text]), { map: (row) => row, name: "users.csv" }));

export const messages: readonly {
  readonly title: string;
  readonly provoke: () => unknown;
  readonly text: string;
}[] = [
  {
    title: "a row with too few cells",
    provoke: () => rowsOf("id,name\nu1,Ada\nu2\n"),
    text: "users.csv:3 has 1 cells, but the header has 2. Quote a cell that contains the delimiter; a short last row may be truncated.",
  },
  {
    title: "a stream that is read twice",
    provoke: async () => {
      const source = fromCsv(Readable.from(["id\nu1\n"]), { map: ({ id }) => id });
      await all(source);
      await all(source);
    },
    text: "stream was already read, and a stream can be read only once. Create a new source for each write, or pass a file path.",
  },
  {
    title: "a listing with fewer items than its total",
    provoke: () => all(fromPages(async () => ({ items: ["u1"], total: 2 }))),
    text: "page 1 is the last one, with 1 items in all, but the total is 2. Pages may be missing, or the data changed during the read: read the listing again.",
  },
];
