/** Extracts the ranges that its arguments name, except those that are sealed: start it again if it fails. */
import { fromPages } from "@saas-management/sdk/sources";
import { isRange, openRun } from "./run.js";
import type { VendorPage } from "./vendor.js";

const { client, run } = await openRun();
const sealed = (await run.status()).filter(({ state }) => state === "sealed");
for (const range of process.argv.slice(2).filter(isRange)) {
  if (sealed.some(({ partition }) => partition === range)) continue;
  const users = fromPages(
    async (cursor, { signal }) => {
      const url = new URL("/users", process.env["ACME_URL"]);
      url.searchParams.set("range", range);
      url.searchParams.set("cursor", cursor ?? "0");
      const response = await fetch(url, { signal });
      if (!response.ok) throw new Error(`The vendor answered with status ${response.status}.`);
      const { users, next, total }: VendorPage = await response.json();
      return { items: users, next, total };
    },
    { map: ({ login, name }) => ({ id: login, name }) },
  );
  await run.extract("accounts", range, users);
}
await client.close();
