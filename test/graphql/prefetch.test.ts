import { GraphQLClient, TransportError } from "@saas-management/sdk/graphql";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startBusyServer } from "../support/http-busy-server.js";
import { API_KEY, connectClient, rejection } from "../support/http-client.js";
import { pageOf, servePage } from "../support/http-pages.js";
import { json } from "../support/http-server.js";

describe("a walk under fake timers", () => {
  it("goes on, although nobody moves the time", async () => {
    const { client } = await connectClient((request, response) =>
      json(response, { data: { applications: pageOf(3, request) } }),
    );
    vi.useFakeTimers({ toFake: ["setImmediate"] });
    onTestFinished(() => void vi.useRealTimers());
    let met = 0;
    for await (const _ of client.applications({ first: 1 })) met += 1;
    expect(met).toBe(3);
  });
});

describe("prefetch", () => {
  it("asks for the next page, and for no more, while a page is consumed", async () => {
    const { client, server } = await connectClient((request, response) =>
      servePage(response, pageOf(100, request)),
    );
    for await (const _ of client.applications({ first: 2 })) {
      await server.arrived(2);
      await turns(50);
      expect(server.requests).toHaveLength(2);
      break;
    }
  });

  it("can be turned off", async () => {
    const { client, server } = await connectClient((request, response) =>
      servePage(response, pageOf(100, request)),
    );
    const pages = client.applications({ first: 2 }, { prefetch: false }).pages();
    await pages.next();
    await turns(50);
    expect(server.requests).toHaveLength(1);
  });

  it("does not go past the limit", async () => {
    const { client, server } = await connectClient((request, response) =>
      servePage(response, pageOf(100, request)),
    );
    const pages = client.applications({ first: 2 }, { limit: 2 }).pages();
    await pages.next();
    await turns(50);
    expect(server.requests).toHaveLength(1);
  });

  it("is cancelled when the loop is left", async () => {
    const { client, server } = await connectClient((request, response, index) => {
      if (index === 0) servePage(response, pageOf(100, request));
    });
    for await (const _ of client.applications({ first: 2 })) {
      await server.arrived(2);
      break;
    }
    await server.requests[1]?.cancelled;
  });

  it("that fails is reported when its page's turn comes, not before", async () => {
    const { client, server } = await connectClient((request, response, index) =>
      index === 0 ? servePage(response, pageOf(3, request)) : json(response, {}, { status: 400 }),
    );
    const nodes = client.applications({ first: 2 })[Symbol.asyncIterator]();
    await nodes.next();
    await server.arrived(2);
    await turns(50);
    expect((await nodes.next()).value?.id).toBe("n1");
    expect(await rejection(nodes.next())).toBeInstanceOf(TransportError);
  });

  it("whose time went by while the page before was consumed is asked for once more", async () => {
    const { client, server, clock } = await connectClient((request, response, index) => {
      if (index === 0 || index === 2) servePage(response, pageOf(6, request));
    });
    const pages = client.applications({ first: 2 }, { timeoutMs: 5_000 }).pages();
    await pages.next();
    await server.arrived(2);
    clock.advance(5_000);
    await server.requests[1]?.cancelled;
    expect((await pages.next()).value?.nodes).toMatchObject([{ id: "n2" }, { id: "n3" }]);
    expect(server.requests[2]?.body.variables).toEqual(server.requests[1]?.body.variables);
    // One that is waited for fails when its time is up.
    const last = rejection(pages.next());
    await server.arrived(4);
    await turns(50);
    clock.advance(5_000);
    expect(await last).toMatchObject({ code: "TIMEOUT", position: { cursor: "c3", nodesYielded: 4 } });
    expect(server.requests).toHaveLength(4);
  });

  it("that fails while the loop is left disturbs nobody", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { client, server } = await connectClient((request, response, index) =>
      index === 0 ? servePage(response, pageOf(3, request)) : response.destroy(),
    );
    for await (const _ of client.applications({ first: 2 }, { retry: false })) {
      await server.arrived(2);
      await turns(50);
      break;
    }
    await turns(50);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it.each(["nodes", "pages"] as const)(
    "reaches the server while a consumer of %s never gives up the thread",
    async (what) => {
      const server = await startBusyServer();
      const client = new GraphQLClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
      const apps = client.applications({ first: 2 });
      const iterator = what === "nodes" ? apps[Symbol.asyncIterator]() : apps.pages();
      const perPage = what === "nodes" ? 2 : 1;
      for (let page = 1; page <= 5; page++) {
        for (let step = 0; step < perPage; step++) await iterator.next();
        const giveUpAt = performance.now() + 5_000;
        while (server.arrived() < page + 1 && performance.now() < giveUpAt);
        expect(server.arrived()).toBe(page + 1);
      }
      await iterator.return?.();
    },
  );
});

/** Lets whatever is ready run. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
