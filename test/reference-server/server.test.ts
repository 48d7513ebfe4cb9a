import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  type ReferenceServerOptions,
  startReferenceServer,
  TestClock,
} from "@saas-management/sdk/reference-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { SubscriptionModel } from "../../src/sync/generated/saas_management/sync/v1/access_records.js";
import { refused, until } from "../support/grpc-client.js";
import { accounts } from "../support/grpc-records.js";
import { startSync } from "../support/grpc-server.js";
import { identity } from "../support/tls-certificates.js";

/** Whether something listens at the port of a URL. */
function listens(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });
}

async function query(baseUrl: string, apiKey: string, text: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: "POST",
    headers: { authorization: apiKey, "content-type": "application/json" },
    body: JSON.stringify({ query: text }),
  });
  return response.json();
}

describe("starting", () => {
  test("takes free ports of the loopback address and is ready to be used", async () => {
    const servers = await Promise.all([startSync(), startSync()]);
    const urls = servers.flatMap(({ server }) => [server.baseUrl, server.syncUrl]);
    expect(new Set(urls).size).toBe(4);
    for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const { client, installationId } of servers) await client.start(installationId);
  });

  test("shows the running time where no clock is given", async () => {
    await using server = await startReferenceServer();
    expect(Math.abs(server.clock.now() - Date.now())).toBeLessThan(60_000);
    expect(server.clock).toBeInstanceOf(TestClock);
  });

  test.each<[string, unknown, RegExp]>([
    ["a port that is none", { port: 70_000 }, /`port` must be a whole number from 0 to 65535/],
    ["a port that is no number", { syncPort: "80" }, /`syncPort` must be/],
    ["one port for both", { port: 4000, syncPort: 4000 }, /must differ/],
    ["an empty host", { host: "" }, /`host` must be/],
    ["a certificate without a key", { tls: { cert: "x" } }, /`tls` must have `cert` and `key`/],
    ["a certificate that is none", { tls: { cert: "x", key: "y" } }, /`tls`: the certificate and the key/],
    ["a clock that cannot be moved", { clock: { now: () => 0 } }, /`clock` must be a TestClock/],
    ["pages without items", { pageSize: 0 }, /`pageSize` must be/],
    ["no clock", { clock: null }, /`clock` must be a TestClock/],
    [
      "a name of a certificate that does not exist",
      { tls: { cer: "x" } },
      /^tls: there is no cer\. Did you mean cert\?/,
    ],
    ["options that are none", 4000, /^The options of startReferenceServer must be an object\.$/],
    ["an option that does not exist", { synchPort: 1 }, /there is no synchPort. Did you mean syncPort/],
    [
      "a portfolio with a price in no currency",
      { portfolio: { planPrices: [{ planName: "P", annualPricePerSeat: "1", currency: "euro" }] } },
      /planPrices\[0\]\.currency/,
    ],
    [
      "a portfolio with a name that does not exist",
      { portfolio: { applications: [{ name: "A", catgory: "x" }] } },
      /^portfolio\.applications\[0\]: there is no catgory\. Did you mean category\?/,
    ],
  ])("refuses %s", async (_, options, message) => {
    await expect(startReferenceServer(options as ReferenceServerOptions)).rejects.toThrow(message);
    await expect(startReferenceServer(options as ReferenceServerOptions)).rejects.toThrow(TypeError);
  });

  test("fails as a whole where one port is taken", async () => {
    const { server } = await startSync();
    const taken = Number(new URL(server.syncUrl).port);
    await expect(startReferenceServer({ port: taken })).rejects.toMatchObject({ code: "EADDRINUSE" });
    const free = await startReferenceServer();
    await free.close();
    const port = Number(new URL(free.baseUrl).port);
    await expect(startReferenceServer({ port, syncPort: taken })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    expect(await listens(free.baseUrl)).toBe(false);
  });
});

test("a restart works again after one that found a port taken", async () => {
  const { server } = await startSync();
  const { port } = new URL(server.baseUrl);
  const taken = async (thief: Server) => {
    await once(thief.listen(Number(port), "127.0.0.1"), "listening");
    return thief;
  };
  let failure: unknown;
  while (failure === undefined) {
    const restarted = server.restart().catch((error: unknown) => error);
    // The port is free between the end of one server and the start of the next.
    const thief = await taken(createServer()).catch(() => undefined);
    failure = await restarted;
    if (thief !== undefined) await new Promise((resolve) => thief.close(resolve));
  }
  expect(failure).toMatchObject({ code: "EADDRINUSE" });
  await server.restart();
  const text = "{ licenses { totalCount } }";
  expect(await query(server.baseUrl, server.apiKey, text)).toEqual({ data: { licenses: { totalCount: 0 } } });
});

describe("what is synced", () => {
  test("is what GraphQL shows, as long as it is not removed", async () => {
    const { server, client, installationId } = await startSync();
    const read = () =>
      query(server.baseUrl, server.apiKey, "{ licensePlans { nodes { name integration { name } } } }");
    const plan = {
      $case: "plans" as const,
      value: {
        records: [
          {
            variant: {
              $case: "generic" as const,
              value: {
                id: "p",
                externalPlanName: "Pro",
                attributes: new Map<string, string>(),
                details: { model: SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED, seatBased: {} },
              },
            },
          },
        ],
      },
    };
    const nothing = { data: { licensePlans: { nodes: [] } } };
    expect(await read()).toEqual(nothing);
    const first = await client.start(installationId);
    await client.write(first, plan);
    const shown = {
      data: { licensePlans: { nodes: [{ name: "Pro", integration: { name: "Custom integration" } }] } },
    };
    expect(await read()).toEqual(shown);
    await client.complete(first);
    const second = await client.start(installationId);
    await client.write(second, { $case: "plans", value: { records: [] } });
    expect(await read()).toEqual(shown);
    await client.complete(second);
    expect(await read()).toEqual(nothing);
  });

  test("in one workspace is not shown to another", async () => {
    const { server } = await startSync({ portfolio: { applications: [{ name: "Chat" }] } });
    const workspace = server.createWorkspace("Other", { portfolio: { applications: [{ name: "Mail" }] } });
    const text = "{ applications { nodes { application { name } } } }";
    const shown = (name: string) => ({ data: { applications: { nodes: [{ application: { name } }] } } });
    expect(await query(server.baseUrl, server.apiKey, text)).toEqual(shown("Chat"));
    expect(await query(server.baseUrl, server.createApiKey({ workspace }), text)).toEqual(shown("Mail"));
  });
});

describe("inspecting an installation", () => {
  test("shows lock, batches, snapshots and events as plain data", async () => {
    const { server, client, installationId } = await startSync();
    const startedAt = server.clock.now();
    const batchId = await client.start(installationId);
    const time = (nanos: number) => ({ seconds: 1_780_000_000n, nanos });
    const attributes = new Map([["team", "red"]]);
    await client.write(
      batchId,
      accounts({
        id: "a",
        active: false,
        details: { variant: { $case: "microsoft", value: { teams: { hasTeams: true } } } },
      }),
      {
        $case: "plans",
        value: {
          records: [
            {
              variant: {
                $case: "generic",
                value: {
                  id: "p",
                  externalPlanName: "Pro",
                  attributes,
                  details: {
                    model: SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED,
                    seatBased: { paidSeats: 0 },
                  },
                },
              },
            },
          ],
        },
      },
      {
        $case: "aiUsage",
        value: {
          records: [
            {
              variant: {
                $case: "generic",
                value: {
                  id: "u",
                  sourceActorId: "a",
                  model: "m",
                  inputTokens: 5n,
                  lastActivity: time(0),
                  attributes,
                },
              },
            },
            {
              variant: {
                $case: "generic",
                value: { id: "v", sourceActorId: "a", lastActivity: time(1), attributes },
              },
            },
          ],
        },
      },
    );
    const lease = startedAt + 15 * 60_000;
    const inspection = server.inspect(installationId);
    expect(inspection).toMatchObject({
      installationId,
      workspaceId: server.workspace.id,
      lock: { batchId, leaseExpiresAt: lease },
      batches: [
        {
          id: batchId,
          state: "active",
          startedAt,
          leaseExpiresAt: lease,
          endedAt: null,
          accepted: { accounts: 1, plans: 1, aiUsage: 2 },
        },
      ],
    });
    expect(inspection.snapshots.accounts).toStrictEqual([
      {
        id: "a",
        removed: false,
        record: {
          generic: { id: "a", active: false, details: { microsoft: { teams: { hasTeams: true } } } },
        },
      },
    ]);
    expect(inspection.snapshots.plans[0]?.record).toStrictEqual({
      generic: {
        id: "p",
        externalPlanName: "Pro",
        attributes: { team: "red" },
        details: { model: "SEAT_BASED", seatBased: { paidSeats: 0 } },
      },
    });
    expect(inspection.events.aiUsage).toStrictEqual([
      {
        generic: {
          id: "u",
          sourceActorId: "a",
          model: "m",
          inputTokens: 5n,
          lastActivity: "2026-05-28T20:26:40.000Z",
          attributes: { team: "red" },
        },
      },
      {
        generic: {
          id: "v",
          sourceActorId: "a",
          lastActivity: "2026-05-28T20:26:40.000000001Z",
          attributes: { team: "red" },
        },
      },
    ]);
  });

  test("gives a copy: what happens later does not show in it", async () => {
    const { server, client, installationId } = await startSync();
    const before = server.inspect(installationId);
    await client.write(await client.start(installationId), accounts("a"));
    expect(before).toMatchObject({ lock: null, batches: [], snapshots: { accounts: [] } });
  });

  test("fails for one that does not exist", async () => {
    const { server } = await startSync();
    expect(() => server.inspect("nope")).toThrow("There is no installation with this id to inspect.");
  });
});

test.each<[string, unknown[]]>([
  ["createWorkspace", [{ name: "Acme" }]],
  ["createWorkspace", []],
  ["createInstallation", [{ integration: 7 }]],
  ["createInstallation", ["HR"]],
  ["createApiKey", [{ permissions: "integration:sync" }]],
  ["createApiKey", [null]],
])("%s refuses %j", async (name, args) => {
  await using server = await startReferenceServer();
  const create: unknown = Reflect.get(server, name);
  if (typeof create !== "function") throw new TypeError(`The server has no ${name}.`);
  expect(() => create(...args)).toThrow(TypeError);
  expect(() => create(...args)).toThrow(/ must be a (string|list)\.| must be an object\./);
});

test("what a portfolio holds is what it held at the start, whatever becomes of the object", async () => {
  const applications = [{ name: "Chat" }];
  const { server } = await startSync({ portfolio: { applications } });
  applications.push({ name: "Mail" });
  const text = "{ applications { totalCount } }";
  expect(await query(server.baseUrl, server.apiKey, text)).toEqual({
    data: { applications: { totalCount: 1 } },
  });
});

test("a workspace of another server is refused", async () => {
  const [{ server }, { server: other }] = [await startSync(), await startSync()];
  const workspace = other.createWorkspace("Other");
  expect(() => server.createApiKey({ workspace })).toThrow("`workspace` is not a workspace of this server.");
  expect(() => server.createInstallation({ workspace })).toThrow(TypeError);
});

describe("closing", () => {
  test("stops both APIs, and may be repeated", async () => {
    const { server, client, installationId } = await startSync();
    await client.start(installationId);
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(await Promise.all([listens(server.baseUrl), listens(server.syncUrl)])).toEqual([false, false]);
  });

  test("happens at the end of an await using block", async () => {
    let url = "";
    {
      await using server = await startReferenceServer();
      url = server.syncUrl;
      expect(await listens(url)).toBe(true);
    }
    expect(await listens(url)).toBe(false);
  });

  test("lets a call that is about to end come to its end", async () => {
    const { server, client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    const stream = client.open().send(batchId, accounts("a"));
    await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
    const closed = server.close();
    expect(await stream.end()).toBe(1n);
    await closed;
  });

  test("does not wait for clients that never end their calls or never say anything", async () => {
    const { server, client, installationId } = await startSync();
    const batchId = await client.start(installationId);
    const stream = client.open().send(batchId, accounts("a"));
    await until(() => server.inspect(installationId).snapshots.accounts.length === 1);
    expect(await listens(server.baseUrl)).toBe(true);
    expect(await listens(server.syncUrl)).toBe(true);
    await server.close();
    expect(await refused(stream.answer)).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("does not wait for clients that never begin the TLS handshake", async () => {
    const { server } = await startSync({ tls: identity("server") });
    expect(await listens(server.baseUrl)).toBe(true);
    expect(await listens(server.syncUrl)).toBe(true);
    await server.close();
  });

  test("leaves nothing behind that keeps the process alive", async () => {
    const script = fileURLToPath(new URL("../support/grpc-close-script.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script], {
      timeout: 15_000,
    });
    expect(stdout).toBe("closed\n");
  });
});
