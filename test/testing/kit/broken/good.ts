import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromPages } from "@saas-management/sdk/sources";
import { ask, pageUrl, sleep } from "./vendor.js";

interface GoodPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
  readonly total: number;
}

/** Tries transient failures again, checks what it gets, and reads each listing to a proven end. */
export const good = defineConnector({
  snapshots: ["accounts"],
  run: async (batch) => {
    const uses: RecordOf<"usage">[] = [];
    const users = fromPages((cursor) => askGoodPage(cursor), {
      map: (user) => {
        const id = stringOf(user, "id");
        const name = stringOf(user, "displayName");
        uses.push({
          id: `login-${id}`,
          sourceActorId: id,
          externalProductName: name,
          lastActivity: stringOf(user, "updatedAt"),
        });
        return { id, name, email: stringOf(user, "email") };
      },
    });
    await batch.write("accounts", users);
    await batch.write("usage", uses);
  },
});

async function askGoodPage(cursor: string | undefined): Promise<GoodPage> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await ask(pageUrl(cursor));
    const isTransient = response.status === 429 || response.status >= 500;
    if (isTransient && attempt < 4) {
      await sleep(Number(response.headers.get("retry-after") ?? 2 ** attempt) * 1000);
      continue;
    }
    if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
    const page: unknown = await response.json();
    return pageOf(page);
  }
}

function pageOf(page: unknown): GoodPage {
  if (typeof page !== "object" || page === null) throw new Error("The page is not an object.");
  const { users, nextPageToken, total }: Readonly<Record<string, unknown>> = { ...page };
  if (!Array.isArray(users)) throw new Error("The page has no users.");
  if (nextPageToken !== null && typeof nextPageToken !== "string") throw new Error("The page has no token.");
  if (typeof total !== "number") throw new Error("The page has no total.");
  return { items: users, next: nextPageToken, total };
}

function stringOf(user: Readonly<Record<string, unknown>>, name: string): string {
  const value = user[name];
  if (typeof value !== "string" || value === "") throw new Error(`A user has no ${name}.`);
  return value;
}
