/** Mistakes about the run as a whole: what outlives it, what it does not wait for, what it does with an error. */
import { defineConnector } from "@saas-management/sdk";
import {
  END,
  events,
  jsonOf,
  NO_RULES,
  numberedPage,
  type Planted,
  pageOf,
  StatusError,
  send,
  sleep,
  type User,
  useOf,
  usersByLink,
} from "./vendor.js";

const linked = async (path: string) => pageOf(await send(path));

/** These live as long as the process, as a file or a table would. */
const cached: { token?: string } = {};
const exported = new Set<string>();
const pages = new Map<string, Awaited<ReturnType<typeof linked>>>();
const checkpoint: { path: string | undefined } = { path: undefined };

async function* fromCheckpoint() {
  let path: string | undefined = checkpoint.path ?? "/users";
  while (path !== undefined) {
    checkpoint.path = path;
    const page: Awaited<ReturnType<typeof linked>> = await linked(path);
    yield page.users.map(({ id, displayName }) => ({ id, name: displayName }));
    path = page.next === path ? undefined : page.next;
  }
  checkpoint.path = undefined;
}

/** What goes wrong is written to the log, as a careful author does. */
function log(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : "error"}\n`);
}

export const OF_RUNS: Readonly<Record<string, Planted>> = {
  "makes ids at random": events("by link", usersByLink, (user) => ({
    ...useOf(user),
    id: crypto.randomUUID(),
  })),
  "caches its token": events("by link", async () => {
    const body = new URLSearchParams({ grant_type: "client_credentials", client_secret: "own-secret-4711" });
    cached.token ??= (await jsonOf(await send("/oauth/token", { method: "POST", body }))).access_token;
    return usersByLink();
  }),
  "keeps state outside run": events("by link", async () => {
    const users = (await usersByLink()).filter(({ id }) => !exported.has(id));
    for (const { id } of users) exported.add(id);
    return users;
  }),
  "keeps the vendor's answers from run to run": events("by link", () =>
    usersByLink(async (path) => {
      const page = pages.get(path) ?? (await linked(path));
      pages.set(path, page);
      return page;
    }),
  ),
  "resumes a cursor that expired": {
    recording: "by link",
    guard: NO_RULES,
    connector: defineConnector({
      snapshots: ["accounts"],
      run: async (batch) => {
        await batch.write("accounts", fromCheckpoint());
      },
    }),
  },
  "forgets await": events("by link", async () => {
    const users: User[] = [];
    const read = async (path: string) => {
      const page = await linked(path);
      users.push(...page.users);
      if (page.next !== undefined) void read(page.next);
    };
    void read("/users");
    await sleep(5000);
    return users;
  }),
  "reads pages in parallel without order": events(
    "by page number",
    async () => {
      const first = await numberedPage(1);
      const users = [...first.users];
      const read = async (number: number) => {
        await sleep(number * 1000);
        users.push(...(await numberedPage(number)).users);
      };
      await Promise.all(Array.from({ length: first.pages - 1 }, (_, index) => read(index + 2)));
      return users;
    },
    (user, index) => ({ ...useOf(user), id: `${index}` }),
  ),
  "swallows a page's error": events("by link", () => usersByLink((path) => linked(path).catch(() => END))),
  "catches and logs": events("by link", async () => {
    const users: User[] = [];
    await usersByLink(undefined, users).catch(log);
    return users;
  }),
  "writes half and returns": {
    recording: "by link",
    connector: defineConnector({
      snapshots: [],
      run: async (batch) => {
        for (let path: string | undefined = "/users"; path !== undefined; ) {
          const response = await send(path);
          if (!response.ok) return;
          const page = await pageOf(response);
          await batch.write("usage", page.users.map(useOf));
          if (page.next === path) throw new Error("The page names itself as the next one.");
          path = page.next;
        }
      },
    }),
  },
  "treats 204, 404 and 500 as the end": events("by link", () =>
    usersByLink(async (path) => {
      const response = await send(path);
      return [204, 404, 500].includes(response.status) ? END : pageOf(response);
    }),
  ),
  "logs its request if it fails": events("by link", () =>
    usersByLink(async (path) => {
      const headers = { authorization: "Bearer another-key-of-the-planted" };
      const response = await send(path, { headers });
      if (response.ok) return pageOf(response);
      process.stderr.write(`Failed: ${JSON.stringify({ path, headers })}\n`);
      throw new StatusError(response.status);
    }),
  ),
};
