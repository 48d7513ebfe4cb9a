/** What the planted connectors do right; each then makes its own mistake in one place. */
import type { Connector, GuardOptions, RecordOf } from "@saas-management/sdk";
import { connectorOf } from "../../../support/connector.js";
import type { RecordingName } from "../recordings/index.js";
import { ORIGIN, type Person } from "../recordings/people.js";

/** A connector with a mistake, and the recording that it reads. */
export interface Planted {
  readonly recording: RecordingName;
  readonly connector: Connector<"accounts">;
  readonly guard?: GuardOptions;
}

/** A user as a careless connector sees it, with a type copied from the docs. */
export type User = Omit<Person, "id"> & { readonly id: string };

export interface Page {
  readonly users: readonly User[];
  readonly next: string | undefined;
}

export const END: Page = { users: [], next: undefined };

/** This isn't the recorded key, because each process has its own key. */
const KEY = "key-of-the-planted-connectors-0815";

/** The guard without its rules: it still reads baselines. */
export const NO_RULES: GuardOptions = { removed: false, window: false, added: false, changed: false };

export function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${KEY}`, ...init.headers };
  return fetch(new URL(path, ORIGIN), { ...init, headers });
}

export function post(path: string, json: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return send(path, { method: "POST", headers, body: JSON.stringify(json) });
}

/** Waits as an author would, with the program's timers. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export class StatusError extends Error {
  constructor(readonly status: number) {
    super(`The vendor answered ${status}.`);
  }
}

/** @throws {Error} the answer is not a 200 with JSON */
export async function jsonOf(response: Response) {
  if (response.status !== 200) throw new StatusError(response.status);
  if (!isJson(response)) throw new Error("The vendor's answer is not JSON.");
  return response.json();
}

export function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.includes("json") === true;
}

/** A page of `by link`: an array, with a link to the next one. */
export async function pageOf(response: Response): Promise<Page> {
  return { users: usersOf(await jsonOf(response)), next: nextOf(response) };
}

export function usersOf(users: unknown): readonly User[] {
  if (!Array.isArray(users)) throw new Error("The page has no users.");
  return users;
}

export function nextOf({ headers }: Response): string | undefined {
  const link = headers.get("link");
  if (link === null) throw new Error("The page has no link.");
  return /<([^>]*)>; rel="next"/.exec(link)?.[1];
}

/** All users of `by link`. */
export async function usersByLink(
  read: (path: string) => Promise<Page> = async (path) => pageOf(await send(path)),
  users: User[] = [],
): Promise<readonly User[]> {
  let path: string | undefined = "/users";
  while (path !== undefined) {
    const page: Page = await read(path);
    users.push(...page.users);
    if (page.next === path) throw new Error("The page names itself as the next one.");
    path = page.next;
  }
  return users;
}

/** A page of `by token` or of `by page number`. */
export interface CountedPage extends Page {
  readonly total: number;
}

export async function tokenPage(token = "", key = "users"): Promise<CountedPage> {
  const page = await jsonOf(await send(`/v1/${key}?limit=10${token && `&pageToken=${token}`}`));
  return { users: usersOf(page[key]), next: page.nextPageToken ?? undefined, total: page.total };
}

export async function numberedPage(page: number): Promise<CountedPage & { readonly pages: number }> {
  const response = await send(`/api/users?page=${page}&per_page=10`);
  const { data, meta } = await jsonOf(response);
  const total = Number(response.headers.get("x-total-count") ?? Number.NaN);
  return { users: usersOf(data), next: undefined, total, pages: meta.pages };
}

/** All items of a listing with tokens: as many as its total says. */
export async function itemsByToken(key = "users"): Promise<readonly User[]> {
  const users: User[] = [];
  const tokens = new Set<string | undefined>();
  let page = await tokenPage(undefined, key);
  users.push(...page.users);
  while (page.next !== undefined && !tokens.has(page.next)) {
    tokens.add(page.next);
    page = await tokenPage(page.next, key);
    users.push(...page.users);
  }
  if (users.length !== page.total) throw new Error(`Read ${users.length} of ${page.total}.`);
  return users;
}

type Use = RecordOf<"usage">;

/** One use of the product for each user; the guard doesn't judge events. */
export function events(
  recording: RecordingName,
  read: () => Promise<readonly User[]>,
  use: (user: User, index: number) => Use = useOf,
): Planted {
  const connector = connectorOf([], async (batch) => {
    const uses = (await read()).map(use);
    await batch.write("usage", uses);
  });
  return { recording, connector };
}

export function useOf({ id, displayName, email, updatedAt, seat }: User): Use {
  for (const value of [id, displayName, email, updatedAt, seat])
    if (value === undefined || value === null) throw new Error("A user lacks a field.");
  return {
    id: `login-${id}`,
    sourceActorId: `${id}`,
    externalProductName: `${displayName} <${email}>`,
    lastActivity: updatedAt,
  };
}

/** Uses without ids, which the service counts each time they are sent. */
export function eventsWithoutIds(recording: RecordingName, read: () => Promise<readonly User[]>): Planted {
  const connector = connectorOf([], async (batch) => {
    const uses = (await read()).map(useOf).map(({ sourceActorId, lastActivity }) => ({
      sourceActorId,
      lastActivity,
    }));
    await batch.write("externallyDiscoveredUsage", uses);
  });
  return { recording, connector };
}

/** The accounts of `by token`, judged by a guard with these options. */
export function accounts(guard: GuardOptions, check: (users: readonly User[]) => void): Planted {
  const connector = connectorOf(["accounts"], async (batch) => {
    const users = await itemsByToken();
    check(users);
    await batch.write(
      "accounts",
      users.map(({ id, displayName: name, email }) => ({ id, name, email })),
    );
  });
  return { recording: "by token", connector, guard };
}
