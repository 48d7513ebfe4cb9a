/** Mistakes about items: their fields, their ids, their details, and the rows of a file. */
import { connectorOf } from "../../../support/connector.js";
import {
  accounts,
  events,
  jsonOf,
  type Planted,
  post,
  StatusError,
  send,
  type User,
  useOf,
  usersByLink,
  usersOf,
} from "./vendor.js";

/** Changes each user of `by link` before the user is checked. */
function changes(change: (user: User) => User): Planted {
  return events("by link", async () => (await usersByLink()).map(change));
}

function details(read: (response: Response, id: string) => Promise<User | undefined>): Planted {
  return events("with details", async () => {
    const { users } = await jsonOf(await send("/v2/users"));
    const found: User[] = [];
    for (const { id } of usersOf(users)) {
      const user = await read(await send(`/v2/users/${id}`), id);
      if (user !== undefined) found.push(user);
    }
    return found;
  });
}

/** Checks that a user is the one that was asked for. */
function sameUser(user: User, id: string): User {
  if (user.id !== id) throw new Error("The details are another user's.");
  return user;
}

/** The rows of a file, split by hand, with the column names as keys. */
async function rowsOfFile(): Promise<readonly Readonly<Record<string, string>>[]> {
  const response = await send("/export.csv");
  if (response.status !== 200 || !response.headers.get("content-type")?.includes("csv"))
    throw new StatusError(response.status);
  const [header = "", ...lines] = (await response.text()).split("\n");
  if (lines.pop() !== "") throw new Error("The file ends in the middle of a row.");
  const names = header.replace("\ufeff", "").split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell])));
}

const FIELDS: readonly (keyof User)[] = ["id", "displayName", "email", "updatedAt"];

function checkFields(users: readonly User[]): void {
  if (users.length === 0) throw new Error("There is nobody.");
  for (const user of users)
    for (const field of FIELDS)
      if (typeof user[field] !== "string") throw new Error(`A user has no ${field}.`);
}

const NO_GUARD_OF_IDS = { removed: false, window: false, added: false } as const;

/** Lives as long as the process, as a file or a table would. */
const exported = new Set<string>();

export const OF_ITEMS: Readonly<Record<string, Planted>> = {
  "no-fault: keeps state outside run": events("by link", async () => {
    const users = (await usersByLink()).filter(({ id }) => !exported.has(id));
    for (const { id } of users) exported.add(id);
    return users;
  }),
  "item-without-id: drops null ids": events("by link", async () =>
    (await usersByLink()).filter(({ id }) => id),
  ),
  "field-missing-in-some: writes an empty text for a field that is missing": changes((user) => ({
    ...user,
    displayName: user.displayName ?? "",
    email: user.email ?? "",
  })),
  "number-becomes-string: takes a text for no number": events("by link", usersByLink, (user) => ({
    ...useOf(user),
    externalProductName: `seat ${Number.isInteger(user.seat) ? user.seat : 0}`,
  })),
  "unicode-cut: repairs texts": changes(({ displayName, email, ...user }) => ({
    ...user,
    displayName: displayName && `${displayName}`.toWellFormed(),
    email: email && `${email}`.toWellFormed(),
  })),
  "twin-id-in-case: folds the case of ids": changes(({ id, ...user }) => ({
    ...user,
    id: id?.toLowerCase(),
  })),
  "ids-of-other-type: writes ids of numbers with a prefix": events("by offset", async () => {
    const users: User[] = [];
    for (const offset of [0, 10, 20]) {
      const { result } = await jsonOf(await post("/search", { type: "user", offset, limit: 10 }));
      users.push(...usersOf(result.rows));
      if (result.totalSize !== 30) throw new Error("The total is another one.");
    }
    if (users.length !== 30) throw new Error("The total is not what was read.");
    return users.map((user) => ({ ...user, id: typeof user.id === "number" ? `n${user.id}` : user.id }));
  }),
  "list-empty: removes all where the vendor has none": accounts(
    { removed: false, window: false },
    (users) => {
      if (users.some(({ id }) => !id.startsWith("u-"))) throw new Error("A user is another tenant's.");
      if (users.length > 0) checkFields(users);
    },
  ),
  "field-null: writes null for a field that all have lost": accounts({ changed: false }, (users) => {
    for (const { displayName, email } of users)
      if (displayName === undefined || email === undefined) throw new Error("A user lacks a field.");
  }),
  "other-tenant-in-some: writes whoever comes": accounts({ ...NO_GUARD_OF_IDS, changed: false }, checkFields),
  "detail-404: leaves out whose details are not there": details(async (response, id) =>
    response.status === 404 ? undefined : sameUser(await jsonOf(response), id),
  ),
  "detail-of-another: takes any details for those that it asked for": details((response) => jsonOf(response)),
  "answer-of-another-request: takes another object for one without users": events(
    "with details",
    async () => {
      const list = await jsonOf(await send("/v2/users"));
      if (Object.keys(list).length === 0) throw new Error("The answer is empty.");
      const { users = [] } = list;
      const found: User[] = [];
      for (const { id } of usersOf(users))
        found.push(sameUser(await jsonOf(await send(`/v2/users/${id}`)), id));
      return found;
    },
  ),
  "text-column-renamed: leaves out rows without the column of ids": events("csv export", async () => {
    const rows = (await rowsOfFile()).filter(({ id }) => id);
    const fixed = { updatedAt: "2026-05-01T00:00:00Z", seat: 1, active: true };
    return rows.map(({ id = "", name = "", email = "" }) => ({ ...fixed, id, displayName: name, email }));
  }),
  "text-half-of-rows: removes whom a shorter file lacks": {
    recording: "csv export",
    guard: { removed: false, window: false },
    connector: connectorOf(["accounts"], async (batch) => {
      const rows = await rowsOfFile();
      await batch.write(
        "accounts",
        rows.map(({ id, name }) => {
          if (id === undefined || name === undefined) throw new Error("A column is missing.");
          return { id, name };
        }),
      );
    }),
  },
};
