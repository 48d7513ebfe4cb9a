import { createReadStream } from "node:fs";
import { fromCsv, fromJsonl, fromPages, type SourcePage } from "@saas-management/sdk/sources";
import {
  type Account,
  type Attack,
  attack,
  COUNT,
  type Ending,
  held,
  INVALID,
  ownException,
  people,
  send,
  testAttacks,
} from "./attacks.js";

testAttacks([
  pageAttack("a page has no items because the vendor answers 200 with an error page", INVALID, (page) =>
    page === 3 ? JSON.parse('{"error":"try again later"}') : listed(page),
  ),
  pageAttack("the request of a page fails", ownException("503"), (page) => {
    if (page === 3) throw new Error("503");
    return listed(page);
  }),
  pageAttack("the next token is lost half-way, and the caller knows the total", INVALID, (page) => ({
    ...listed(page),
    ...(page === 2 ? { next: undefined } : {}),
    total: COUNT,
  })),
  pageAttack("the next token is lost half-way, and the total is unknown", held({ removed: 20 }), (page) => ({
    ...listed(page),
    ...(page === 2 ? { next: null } : {}),
  })),
  pageAttack("an error becomes an empty page without a next token", held({ removed: 20 }), (page) =>
    page === 3 ? { items: [] } : listed(page),
  ),
  csvAttack("a CSV file is cut in the middle of the last cell of a row", held({ removed: 20 }), (text) =>
    text.slice(0, text.indexOf("9@example.com", text.indexOf("name 19"))),
  ),
  csvAttack("a CSV file is cut at the end of a row", held({ removed: 20 }), (text) =>
    text.slice(0, text.indexOf("né-20")),
  ),
  csvAttack("a CSV file has only its header", INVALID, (text) => text.slice(0, text.indexOf("\n") + 1)),
  csvAttack("a CSV file has another delimiter", INVALID, (text) => text.replaceAll(",", ";")),
  csvAttack("an old CSV file lacks rows and columns", held({ rule: "changed", removed: 3 }), () =>
    csv(0, 37),
  ),
  attack(
    "the values of a CSV file were renamed, so that `map` skips every row",
    held({ removed: 40 }),
    async (service) => {
      const path = await service.writeFile("users.csv", csv());
      const map = ({ status, id = "" }: { status?: string; id?: string }) =>
        status === "ACTIVE" ? { id } : undefined;
      return send(service, fromCsv(path, { map }));
    },
  ),
  attack(
    "a stream decodes a CSV file in UTF-16, and its encoding is given again",
    held({ rule: "changed", removed: 0 }),
    async (service) => {
      const path = await service.writeFile("users.csv", Buffer.from(csv(), "utf16le"));
      const stream = createReadStream(path, { encoding: "utf16le", highWaterMark: 7 });
      return send(service, fromCsv(stream, { map: ({ id = "" }) => ({ id }), encoding: "utf-16le" }));
    },
  ),
  jsonlAttack("a JSON Lines file is cut at the end of a line", held({ removed: 20 }), (text) =>
    text.slice(0, text.indexOf('{"id":"né-20"')),
  ),
]);

function pageAttack(name: string, ending: Ending, pages: (page: number) => SourcePage<Account>): Attack {
  return attack(name, ending, (service) =>
    send(service, () => fromPages<Account>(async (_, { page }) => pages(page))),
  );
}

/** A page as the vendor should return it. */
function listed(page: number): SourcePage<Account> {
  return { items: people(10 * page - 10, 10 * page), next: page === 4 ? null : String(page + 1) };
}

function csvAttack(name: string, ending: Ending, damage: (text: string) => string): Attack {
  return attack(name, ending, async (service) => {
    const path = await service.writeFile("users.csv", damage(csv()));
    const columns = ["id", "name", "email"] as const;
    return send(service, fromCsv(path, { columns, map: ({ id, name: full }) => ({ id, name: full }) }));
  });
}

function jsonlAttack(name: string, ending: Ending, damage: (text: string) => string): Attack {
  return attack(name, ending, async (service) => {
    const text = people().map((record) => `${JSON.stringify(record)}\n`);
    return send(service, fromJsonl(await service.writeFile("users.jsonl", damage(text.join("")))));
  });
}

function csv(from?: number, to?: number): string {
  const rows = people(from, to).map(({ id, name, email }) => `${id},${name},${email}\n`);
  return `id,name,email\n${rows.join("")}`;
}
