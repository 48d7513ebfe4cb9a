import { pbkdf2 } from "node:crypto";
import fs from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServers, type Servers } from "../../../../src/testing/kit/run/servers.js";
import { connectorOf } from "../../../support/connector.js";
import { byToken } from "../recordings/index.js";

const derive = promisify(pbkdf2);

const accounts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `a${i}`, name: `Name ${i}` }));

let servers: Servers;
beforeAll(async () => {
  servers = await openServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

const recording = { exchanges: byToken(), startedAt: "2026-03-01T06:00:00Z" };

test("lets twenty minutes of a connector's time pass in milliseconds", async () => {
  const times: string[] = [];
  const connector = connectorOf(["accounts"], async (batch) => {
    const pages = async function* () {
      for (const account of accounts(4)) {
        times.push(new Date().toISOString());
        await sleep(5 * 60_000);
        yield account;
      }
    };
    await batch.write("accounts", pages());
  });
  const result = await servers.run(connector, { recording });
  expect(result.error).toBeUndefined();
  expect(result.effect.snapshots.accounts).toHaveLength(4);
  expect(times).toEqual([
    "2026-03-01T06:00:00.000Z",
    "2026-03-01T06:05:00.000Z",
    "2026-03-01T06:10:00.000Z",
    "2026-03-01T06:15:00.000Z",
  ]);
});

test("lets no time pass while the connector works, no matter how busy the machine is", async () => {
  const connector = connectorOf([], async () => {
    const late = sleep(1000).then(() => Promise.reject(new Error("It took a second.")));
    await Promise.race([readFile(import.meta.filename), late]);
  });
  const running = servers.run(connector, { recording });
  // These keep the thread pool busy, so the connector's file operation has to wait.
  const busy = Array.from({ length: 24 }, () => derive("password", "salt", 60_000, 64, "sha512"));
  expect((await running).error).toBeUndefined();
  await Promise.all(busy);
});

test("reports a rejection that the connector does not handle", async () => {
  const connector = connectorOf(["accounts"], async (batch) => {
    void Promise.reject(new Error("nobody awaits this"));
    await batch.write("accounts", accounts(3));
  });
  const listeners = process.rawListeners("unhandledRejection");
  const result = await servers.run(connector);
  expect(result.unhandled).toEqual([new Error("nobody awaits this")]);
  expect(process.rawListeners("unhandledRejection")).toEqual(listeners);
});

test("records what is printed", async () => {
  const { console: printer } = globalThis;
  const connector = connectorOf(["accounts"], async (batch) => {
    printer.log("read %d users", 3);
    process.stderr.write("a line\n");
    // As pino does.
    fs.writeSync(2, "");
    fs.write(2, Buffer.from("\n"), () => {});
    await batch.write("accounts", accounts(3));
  });
  const { output } = await servers.run(connector);
  expect(output).toEqual(expect.arrayContaining(["read 3 users", "a line\n", "", "\n"]));
});
