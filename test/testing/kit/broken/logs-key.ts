import { defineConnector } from "@saas-management/sdk";
import { KEY, pageUrl, type UsersPage, usesOf } from "./vendor.js";

/** Writes the whole request to the log if it fails. */
export const logsKey = defineConnector({
  snapshots: [],
  run: async (batch) => {
    let token: string | null | undefined;
    do {
      const request = { url: pageUrl(token), headers: { authorization: `Bearer ${KEY}` } };
      const page = await get(request);
      await batch.write("usage", usesOf(page.users));
      token = page.nextPageToken;
    } while (token);
  },
});

async function get(request: { url: string; headers: Record<string, string> }): Promise<UsersPage> {
  try {
    const response = await fetch(request.url, request);
    if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
    return await response.json();
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: the mistake that is planted
    console.error("The request failed.", JSON.stringify(request));
    throw error;
  }
}
