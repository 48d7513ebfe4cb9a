import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConnector } from "@saas-management/sdk";

const ORIGIN = "https://api.vendor.example";
const PAGES = 3;
const headers = { "content-type": "application/json" };

/** What `recordVendor` would write: three pages of users, the last one too small for the guard. */
const exchanges = Array.from({ length: PAGES }, (_, index) => {
  const users = Array.from({ length: index + 1 < PAGES ? 10 : 3 }, (_, place) => ({
    id: `u-${index * 10 + place + 1}`,
    updatedAt: "2026-05-01T08:00:00.000Z",
  }));
  const token = index === 0 ? "" : `&pageToken=token-${index + 1}`;
  const nextPageToken = index + 1 < PAGES ? `token-${index + 2}` : null;
  return {
    request: { method: "GET", url: `${ORIGIN}/v1/users?limit=10${token}`, headers: {} },
    response: { status: 200, headers, body: { json: { users, nextPageToken } } },
  };
});
const cassette = fileURLToPath(new URL(`vendor-${process.pid}.cassette.json`, import.meta.url));
const runs = [{ startedAt: "2026-05-04T02:00:00.000Z", exchanges }];
writeFileSync(cassette, JSON.stringify({ version: 2, salt: "", kept: [], runs }));

export const options = {
  cassette,
  only: ["no-fault", "status-500-last", "status-404-last", "last-page-lost"],
};

const page = async (token) => {
  const query = token ? `&pageToken=${token}` : "";
  return fetch(`${ORIGIN}/v1/users?limit=10${query}`);
};

const usesOf = (users) =>
  users.map(({ id, updatedAt }) => ({ id: `login-${id}`, sourceActorId: id, lastActivity: updatedAt }));

/** @param takesNotFoundForTheEnd the mistake of the second connector */
const exportUses = (takesNotFoundForTheEnd) =>
  defineConnector({
    snapshots: [],
    run: async (batch) => {
      let token;
      do {
        const response = await page(token);
        if (takesNotFoundForTheEnd && response.status === 404) return;
        if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
        const { users, nextPageToken } = await response.json();
        await batch.write("usage", usesOf(users));
        token = nextPageToken;
      } while (token);
    },
  });

export const good = exportUses(false);
export const broken = exportUses(true);
