import { appendFileSync, createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { fromCsv, fromJsonl } from "@saas-management/sdk/sources";
import { type Attack, type Ending, held, refused } from "./attack.js";
import { people, type World } from "./world.js";

/** Ways in which a file is not what it should be, read by `fromCsv` and `fromJsonl`. */
export const fileAttacks: readonly Attack[] = [
  csvAttack(
    "a CSV file is cut in the middle of a row",
    refused("INVALID_INPUT", /users\.csv:21 has 2 cells/),
    (text) => text.slice(0, text.indexOf("me 19")),
  ),
  csvAttack("a CSV file is cut in the middle of the last cell of a row", held(/20 of 40/), (text) =>
    text.slice(0, text.indexOf("9@example.com", text.indexOf("name 19"))),
  ),
  csvAttack(
    "a CSV file is cut in the middle of a quoted cell",
    refused("INVALID_INPUT", /users\.csv:3 /),
    (text) => text.replace("name 1,", '"name 1,').slice(0, -40),
  ),
  csvAttack("a CSV file is cut at the end of a row", held(/20 of 40/), (text) =>
    text.slice(0, text.indexOf("né-20")),
  ),
  csvAttack("a CSV file has its header only", held(/40 of 40/), (text) =>
    text.slice(0, text.indexOf("\n") + 1),
  ),
  csvAttack("a CSV file has not a single byte", refused("INVALID_INPUT", /users\.csv is empty/), () => ""),
  {
    name: "a CSV file has zeros only",
    stop: "file checks",
    ending: refused("INVALID_INPUT", /users\.csv:1 contains a zero character/),
    attack: async ({ send, write }) =>
      send(fromCsv(await write("users.csv", new Uint8Array(4096)), ({ id = "" }) => ({ generic: { id } }))),
  },
  {
    name: "a CSV file comes line by line, without line ends, and looks like a header",
    stop: "file checks",
    ending: refused("INVALID_INPUT", /stream arrives in 41 pieces without a line end/),
    attack: async ({ send }) =>
      send(fromCsv(Readable.from(csv().trimEnd().split("\n")), ({ id = "" }) => ({ generic: { id } }))),
  },
  csvAttack("a CSV file has another delimiter", refused("INVALID_INPUT", /users\.csv:1 .*column/), (text) =>
    text.replaceAll(",", ";"),
  ),
  csvAttack("an old CSV file with half of the rows is read", held(/20 of 40/), () => csv(0, 20)),
  {
    ...csvAttack("an old CSV file that lacks a few rows is read", held(), () => csv(0, 37)),
    stop: "reported",
    ending: { kind: "reported", collection: "accounts", removed: 3 },
  },
  {
    name: "a CSV file's values were renamed, so that `map` leaves every row out",
    stop: "removal guard",
    ending: held(/40 of 40/),
    attack: async ({ send, write }) => {
      const path = await write("users.csv", csv());
      return send(
        fromCsv(path, ({ status, id = "" }) => (status === "ACTIVE" ? { generic: { id } } : undefined)),
      );
    },
  },
  {
    name: "a file is written to while it is read",
    stop: "file checks",
    ending: refused("INVALID_INPUT", /users\.csv changed while it was read/),
    attack: async ({ send, write }) => {
      const path = await write("users.csv", csv(0, 20));
      let first = true;
      return send(
        fromCsv(path, ({ id = "" }) => {
          if (first) appendFileSync(path, csv(20).slice(csv(20).indexOf("\n") + 1));
          first = false;
          return { generic: { id } };
        }),
      );
    },
  },
  {
    name: "a CSV file in UTF-16 is decoded by its stream, and its encoding is told again",
    stop: "nothing lost",
    ending: { kind: "whole" },
    attack: async ({ send, write }) => {
      const path = await write("users.csv", Buffer.from(csv(), "utf16le"));
      const stream = createReadStream(path, { encoding: "utf16le", highWaterMark: 7 });
      return send(fromCsv(stream, ({ id = "" }) => ({ generic: { id } }), { encoding: "utf-16le" }));
    },
  },
  jsonlAttack(
    "a JSON Lines file is cut in the middle of a line",
    refused("INVALID_INPUT", /users\.jsonl:20 is not valid JSON/),
    (text) => text.slice(0, text.indexOf("19@example.com")),
  ),
  jsonlAttack("a JSON Lines file is cut at the end of a line", held(/20 of 40/), (text) =>
    text.slice(0, text.indexOf('{"generic":{"id":"né-20"')),
  ),
  jsonlAttack(
    "a JSON Lines file has not a single byte",
    refused("INVALID_INPUT", /users\.jsonl is empty/),
    () => "",
  ),
  jsonlAttack(
    "a JSON Lines file has empty lines only",
    refused("INVALID_INPUT", /users\.jsonl is empty/),
    () => "\n\n",
  ),
];

function csvAttack(name: string, ending: Ending, spoil: (text: string) => string): Attack {
  return {
    name,
    stop: stopOf(ending),
    ending,
    attack: async ({ send, write }: World) => {
      const path = await write("users.csv", spoil(csv()));
      const columns = ["id", "name", "email"] as const;
      return send(fromCsv(path, ({ id, name: full }) => ({ generic: { id, name: full } }), { columns }));
    },
  };
}

function jsonlAttack(name: string, ending: Ending, spoil: (text: string) => string): Attack {
  return {
    name,
    stop: stopOf(ending),
    ending,
    attack: async ({ send, write }: World) => {
      const text = people().map((record) => `${JSON.stringify(record)}\n`);
      return send(fromJsonl(await write("users.jsonl", spoil(text.join("")))));
    },
  };
}

function stopOf(ending: Ending): Attack["stop"] {
  return ending.kind === "refused" && ending.code === "REMOVAL_GUARD" ? "removal guard" : "file checks";
}

function csv(from?: number, to?: number): string {
  const rows = people(from, to).map(({ generic: { id, name, email } }) => `${id},${name},${email}\n`);
  return `id,name,email\n${rows.join("")}`;
}
