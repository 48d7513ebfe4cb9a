/** Careless readers of a listing with tokens. */
import { defineConnector } from "@saas-management/sdk";
import { allUsers, eventConnector, fetchVendor, type Loose, tokenPage } from "./loose.js";

const DAY_MS = 86_400_000;

/** Writes nothing where the last total is not what was read. */
export const skipsWithoutTotal = eventConnector(async () => {
  const users: Loose[] = [];
  let page = await tokenPage(undefined);
  users.push(...page.users);
  while (page.nextPageToken) {
    page = await tokenPage(page.nextPageToken);
    users.push(...page.users);
  }
  return users.length === page.total ? users : [];
});

/** Leaves out what it cannot name. */
export const skipsWithoutId = eventConnector(async () => (await allUsers()).filter((user) => user?.id));

/** Gives each use a number in the order of the listing. */
export const numbersUses = eventConnector(async () =>
  (await allUsers()).map((user, index) => ({ ...user, id: index })),
);

/** Takes users for known that come behind younger ones. */
export const trustsOrder = eventConnector(async () => {
  const users: Loose[] = [];
  for (const user of await allUsers()) {
    const last = users.at(-1);
    if (last === undefined || user.updatedAt > last.updatedAt) users.push(user);
  }
  return users;
});

/** Takes what is not JSON for an empty last page. */
export const expectsOnlyJson = eventConnector(async () => {
  const users: Loose[] = [];
  let token: string | null = "";
  while (token !== null) {
    const response = await fetchVendor(`/v1/users?limit=10${token ? `&pageToken=${token}` : ""}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get("content-type")?.includes("json") && bytes.toString().startsWith("{");
    const page = isJson ? JSON.parse(bytes.toString()) : { users: [], nextPageToken: null };
    users.push(...page.users);
    token = page.nextPageToken;
  }
  return users;
});

/** Takes the vendor's clock for the time, and writes who was there in the last three days. */
export const trustsVendorClock = eventConnector(async () => {
  const { headers } = await fetchVendor("/v1/users?limit=10");
  const since = Date.parse(headers.get("date") ?? "") - 3 * DAY_MS;
  return (await allUsers()).filter(({ updatedAt }) => Date.parse(updatedAt) > since);
});

/** Repairs what it is given: texts become well-formed, ids the same in all writings. */
export const repairsTexts = eventConnector(async () =>
  (await allUsers()).map(({ id, displayName, email, updatedAt }) => ({
    id: `${id}`.trim().toLowerCase(),
    updatedAt,
    ...(displayName === undefined ? {} : { displayName: String(displayName).toWellFormed() }),
    ...(email === undefined ? {} : { email: String(email).toWellFormed() }),
  })),
);

/** Takes each value for what it expects, whatever its type. */
export const coercesTypes = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const accounts = (await allUsers()).map(({ id, displayName, active, seat }) => ({
      id: `${id}`,
      name: displayName,
      active: active !== false,
      username: `seat-${Number.isInteger(seat) ? seat : 0}`,
    }));
    await batch.write("accounts", accounts);
  },
});

/** Takes page 1 for as long as it expects it to be. */
export const cutsPages = eventConnector(async () => {
  const users: Loose[] = [];
  let token: string | undefined;
  do {
    const page = await tokenPage(token);
    users.push(...page.users.slice(0, 10));
    token = page.nextPageToken ?? undefined;
  } while (token);
  return users;
});

/** Takes a second listing that fails for an empty one. */
export const swallowsSecondList = eventConnector(async () => {
  const users = await allUsers();
  const licenses: { readonly id: string }[] = [];
  let token: string | null = "";
  while (token !== null) {
    const response = await fetchVendor(`/v1/licenses?limit=10${token ? `&pageToken=${token}` : ""}`);
    const page = response.ok ? await response.json() : {};
    licenses.push(...(page.licenses ?? []));
    token = page.nextPageToken ?? null;
  }
  const updatedAt = "2026-05-01T00:00:00Z";
  return [...users, ...licenses.map(({ id }) => ({ id, updatedAt }))];
});

/** Takes an answer without users for a page without users. */
export const swallowsOtherAnswers = eventConnector(async () => {
  const licenses = await fetchVendor("/v1/licenses?limit=10");
  await licenses.arrayBuffer();
  const users: Loose[] = [];
  let token: string | undefined;
  do {
    const page = await tokenPage(token);
    users.push(...(page.users ?? []));
    token = page.nextPageToken ?? undefined;
  } while (token?.startsWith("users"));
  return users;
});

/** Writes what it is given. */
export const trustsUsers = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const accounts = (await allUsers()).map(({ id, displayName: name, email }) => ({
      id: `${id}`,
      name,
      email,
    }));
    await batch.write("accounts", accounts);
  },
});
