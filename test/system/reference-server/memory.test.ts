import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { expectService } from "../../support/expect-service.js";
import { HostileClients, times } from "./hostile-clients.js";
import { MISBEHAVIOURS, type Misbehaviour } from "./misbehaviours.js";
import { forkReferenceServer, type ReferenceServerProcess } from "./server-process.js";

/** The memory of an idle process varies by some 100 KiB. Misbehaviours send megabytes or open hundreds of connections. */
const NOISE_BYTES = 1024 * 1024;
const CONNECTION_BYTES = 64 * 1024;
/** A leak grows whenever it is measured, noise does not. */
const ATTEMPTS = 3;

let server: ReferenceServerProcess;
beforeAll(async () => {
  server = await forkReferenceServer();
}, 120_000);
afterAll(() => server?.stop());

/** Bytes that remain after a number of rounds whose connections are gone. */
async function remaining(act: Misbehaviour["act"], rounds: number): Promise<number> {
  await times(rounds, async () => {
    const clients = new HostileClients(server);
    await act(clients);
    await server.quiet();
    clients.drop();
  });
  return server.left();
}

/** How much more remains after four rounds than after one. */
async function growth(act: Misbehaviour["act"]): Promise<number> {
  const once = await remaining(act, 1);
  return (await remaining(act, 4)) - once;
}

test.each(MISBEHAVIOURS)(
  "bounds memory, leaks nothing and serves others during $name",
  async ({ act, heldBytes = 0 }) => {
    const before = await remaining(act, 1);
    const clients = new HostileClients(server);
    onTestFinished(() => clients.drop());
    await act(clients);
    const held = (await server.held()) - before;
    await expectService(server);
    expect(held).toBeLessThan(heldBytes + clients.size * CONNECTION_BYTES + NOISE_BYTES);
    clients.drop();

    let least = await growth(act);
    for (let attempt = 1; attempt < ATTEMPTS && least > NOISE_BYTES; attempt += 1)
      least = Math.min(least, await growth(act));
    expect(least).toBeLessThan(NOISE_BYTES);
  },
);

test("ends a connection whose request headers are never finished", async () => {
  const socket = connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.resume().write("POST /graphql HTTP/1.1\r\nHost: a\r\n");
  await once(socket, "close");
});
