/** Mistakes about an answer: its status, its type, its body, and when it comes. */
import {
  END,
  events,
  isJson,
  jsonOf,
  nextOf,
  type Page,
  type Planted,
  pageOf,
  StatusError,
  send,
  sleep,
  type User,
  usersByLink,
  usersOf,
} from "./vendor.js";

/** Reads `by link`, and takes some answers for the end of the listing. */
function endsAt(isEnd: (response: Response) => boolean): Planted {
  const read = async (path: string) => {
    const response = await send(path);
    return isEnd(response) ? END : pageOf(response);
  };
  return events("by link", () => usersByLink(read));
}

/** Requests a page again after some errors, and then forgets the page's users. */
function forgetsAfter(isPassing: (error: Error) => boolean, renew = async () => {}): Planted {
  return events("by link", async () => {
    await renew();
    return usersByLink(async (path) => {
      try {
        return await pageOf(await send(path));
      } catch (error) {
        if (!(error instanceof Error && isPassing(error))) throw error;
        await renew();
        return { ...(await pageOf(await send(path))), users: [] };
      }
    });
  });
}

const hasStatus =
  (least: number, most = least) =>
  (error: Error) =>
    error instanceof StatusError && error.status >= least && error.status <= most;

/** Reads the bytes of a page by hand. */
function readsBytes(read: (text: string, response: Response) => readonly User[] | undefined): Planted {
  return events("by link", () =>
    usersByLink(async (path) => {
      const response = await send(path);
      if (response.status !== 200) throw new StatusError(response.status);
      if (!isJson(response)) throw new Error("The page is not JSON.");
      const next = nextOf(response);
      const users = read(Buffer.from(await response.arrayBuffer()).toString(), response);
      return users === undefined ? END : { users, next };
    }),
  );
}

export const OF_ANSWERS: Readonly<Record<string, Planted>> = {
  "next-expired: takes 400 for the end": endsAt(({ status }) => status === 400),
  "status-404-last: takes 404 for the end": endsAt(({ status }) => status === 404),
  "no-content-last: takes 204 for the end": endsAt(({ status }) => status === 204),
  "status-429-retry-after-once: ignores 429": endsAt(({ status }) => status === 429),
  "html-200-last: takes what is not JSON for the end": endsAt(
    (response) => response.status === 200 && !isJson(response),
  ),
  "status-500-last: takes 500 for the end after three tries": events("by link", () =>
    usersByLink(async (path) => {
      for (let attempt = 1; ; attempt += 1) {
        const response = await send(path);
        if (response.status !== 500) return pageOf(response);
        if (attempt === 3) return END;
      }
    }),
  ),
  "empty-object-last: takes an empty object for the end": events("by link", () =>
    usersByLink(async (path) => {
      const response = await send(path);
      const users = await jsonOf(response);
      const isEmpty = users !== null && !Array.isArray(users) && Object.keys(users).length === 0;
      return isEmpty ? END : { users: usersOf(users), next: nextOf(response) };
    }),
  ),
  "truncated-body: takes a body that ends early for the end": readsBytes((text) => {
    try {
      return usersOf(JSON.parse(text.replace("\ufeff", "")));
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }),
  "byte-order-mark: knows a page by its first character": readsBytes((text) =>
    /^["\w[{]/.test(text) ? usersOf(JSON.parse(text)) : undefined,
  ),
  "error-shows-key: shows the vendor's error": events("by link", () =>
    usersByLink(async (path) => {
      const response = await send(path);
      if (response.status === 401) throw new Error(`Not allowed: ${await response.text()}`);
      return pageOf(response);
    }),
  ),
  "status-500-once: forgets a page that it asked for again after a 500": forgetsAfter(hasStatus(500, 599)),
  "reset-once: forgets a page that it asked for again after a reset": forgetsAfter(
    ({ message }) => message === "fetch failed",
  ),
  "cut-once: forgets a page that it asked for again after a cut": forgetsAfter(
    ({ message }) => message === "terminated",
  ),
  "token-expired: forgets a page that it asked for again with a new token": forgetsAfter(
    hasStatus(401),
    async () => {
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        client_secret: "own-secret-4711",
      });
      await jsonOf(await send("/oauth/token", { method: "POST", body }));
    },
  ),
  "slow-page: takes a page for the end that is ten minutes late": events("by link", () =>
    usersByLink(async (path) =>
      Promise.race([send(path).then(pageOf), sleep(600_000).then((): Page => END)]),
    ),
  ),
  "clock-behind: reads the vendor's clock for a filter": events("by link", async () => {
    const first = await send("/users");
    await pageOf(first);
    const since = Date.parse(first.headers.get("date") ?? "") - 3 * 86_400_000;
    return (await usersByLink()).filter(({ updatedAt }) => Date.parse(updatedAt) > since);
  }),
};

/** Takes a failed page for the end. */
export const { connector: swallowing } = events("by link", () =>
  usersByLink((path) =>
    send(path)
      .then(pageOf)
      .catch(() => END),
  ),
);
