/** An invented vendor, which answers slowly: a page of 50 users in 20 ms. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface VendorPage {
  readonly users: readonly { readonly login: string; readonly name: string }[];
  readonly next: string | undefined;
  readonly total: number;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const USERS_PER_LETTER = 200;
const PAGE = 50;
const PAGE_MS = 20;

export async function startVendor() {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    const { searchParams } = new URL(request.url ?? "", "http://localhost");
    const page = pageOf(searchParams.get("range") ?? "a-z", Number(searchParams.get("cursor") ?? 0));
    sleep(PAGE_MS).then(() => response.end(JSON.stringify(page)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function pageOf(range: string, from: number): VendorPage {
  const [first = "a", last = "z"] = range.split("-");
  const logins = [...LETTERS]
    .filter((letter) => letter >= first && letter <= last)
    .flatMap((letter) => Array.from({ length: USERS_PER_LETTER }, (_, i) => `${letter}${i}`));
  const next = from + PAGE < logins.length ? String(from + PAGE) : undefined;
  const users = logins.slice(from, from + PAGE).map((login) => ({ login, name: `User ${login}` }));
  return { users, next, total: logins.length };
}
