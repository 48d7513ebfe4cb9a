import type { RunBatch } from "@saas-management/sdk";
import { ORIGIN } from "../recordings/people.js";

export { ORIGIN };

/** Not the recorded key: each process has its own. */
export const KEY = "key-of-the-planted-connectors-0815";

export interface User {
  readonly id: string;
  readonly displayName?: string;
  readonly updatedAt: string;
}

export interface UsersPage {
  readonly users: readonly User[];
  readonly nextPageToken: string | null;
  readonly total: number;
}

export function pageUrl(token: string | null | undefined): string {
  return `${ORIGIN}/v1/users?limit=10${token ? `&pageToken=${token}` : ""}`;
}

export function ask(url: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${KEY}` } });
}

/** As good as a client without types gets: a status, and whatever JSON there is. */
export async function askPage(token: string | null | undefined): Promise<UsersPage> {
  const response = await ask(pageUrl(token));
  if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
  const page: UsersPage = await response.json();
  if (!Array.isArray(page.users)) throw new Error("The vendor's page has no users.");
  return page;
}

/** Uses of the vendor's product, one for each user. */
export function usesOf(users: readonly User[]) {
  return users.map(({ id, displayName, updatedAt }) => ({
    id: `login-${id}`,
    sourceActorId: id,
    externalProductName: displayName,
    lastActivity: updatedAt,
  }));
}

export type Batch = RunBatch<never>;

/** As an author waits: on the timers of the program. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
