/** How careless connectors ask: whatever the status, whatever the type. */
import { defineConnector } from "@saas-management/sdk";
import { ORIGIN } from "../recordings/people.js";

export interface Loose {
  readonly id: string | number;
  readonly displayName?: string;
  readonly email?: string;
  readonly active?: boolean;
  readonly seat?: number;
  readonly updatedAt: string;
}

type Seen = Partial<Loose> & Pick<Loose, "updatedAt">;

export function fetchVendor(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: "Bearer key-of-the-careless-4711", ...init.headers };
  return fetch(new URL(path, ORIGIN), { ...init, headers });
}

export function post(path: string, json: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetchVendor(path, { method: "POST", headers, body: JSON.stringify(json) });
}

/** A page of `byToken`, or an error. */
export async function tokenPage(token: string | undefined): Promise<{
  readonly users: readonly Loose[];
  readonly nextPageToken: string | null;
  readonly total: number;
}> {
  const response = await fetchVendor(`/v1/users?limit=10${token ? `&pageToken=${token}` : ""}`);
  if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
  return response.json();
}

export async function allUsers(): Promise<readonly Loose[]> {
  const users: Loose[] = [];
  let token: string | undefined;
  do {
    const page = await tokenPage(token);
    users.push(...page.users);
    token = page.nextPageToken ?? undefined;
  } while (token);
  return users;
}

/** A connector that writes one use of the product for each user: no guard judges events. */
export function eventConnector(read: () => Promise<readonly Seen[]>) {
  return defineConnector({
    snapshots: [],
    run: async (batch) => {
      const uses = (await read()).map(({ id, displayName, email, updatedAt }) => ({
        id: `login-${id}`,
        sourceActorId: `${id}`,
        externalProductName: `${displayName ?? ""} ${email ?? ""}`,
        lastActivity: updatedAt,
      }));
      await batch.write("usage", uses);
    },
  });
}
