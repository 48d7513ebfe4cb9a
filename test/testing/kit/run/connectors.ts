import { type Connector, defineConnector } from "../../../../src/index.js";

interface Listing {
  readonly users: readonly { readonly id: string; readonly displayName: string; readonly email: string }[];
  readonly nextPageToken: string | null;
  readonly total: number;
}

/** Reads the users of the recording by token, page by page, with checks that a careful author makes. */
export const pagedUsers: Connector<"accounts"> = defineConnector({
  snapshots: ["accounts"],
  run: (batch, { signal }) => batch.write("accounts", pages(signal)),
});

async function* pages(signal: AbortSignal) {
  let count = 0;
  let token: string | null = "";
  let total = 0;
  while (token !== null) {
    const page: Listing = await fetchPage(token, signal);
    count += page.users.length;
    ({ total, nextPageToken: token } = page);
    yield page.users.map(({ id, displayName, email }) => ({ id, name: displayName, email }));
  }
  if (count !== total) throw new Error(`Read ${count} users of ${total}.`);
}

async function fetchPage(token: string, signal: AbortSignal): Promise<Listing> {
  const query = token === "" ? "" : `&pageToken=${token}`;
  const response = await fetch(`https://api.vendor.example/v1/users?limit=10${query}`, {
    headers: { authorization: "Bearer secret-of-the-test", accept: "application/json" },
    signal,
  });
  if (!response.ok) throw new Error(`The vendor answered ${response.status}.`);
  return (await response.json()) as Listing;
}

export const accounts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `a${i}`, name: `Name ${i}` }));
