import { once } from "node:events";
import { Readable } from "node:stream";
import { expect } from "vitest";
import {
  type Account,
  attack,
  breakTwice,
  held,
  INVALID,
  overtaken,
  ownException,
  POISONED,
  people,
  refused,
  renamed,
  send,
  testAttacks,
  vendorPage,
  WHOLE,
} from "./attacks.js";

const throwing = [0, 20, 40].map((after) =>
  attack(`the source throws after ${after} of 40 records`, ownException("the vendor is down"), (service) =>
    send(service, throwingAfter(after)),
  ),
);

testAttacks([
  ...throwing,
  attack("the source throws, and the function swallows the exception", POISONED, (service) =>
    service.run(["accounts"], async (batch) => {
      await batch.write("accounts", throwingAfter(20)).catch(() => {});
    }),
  ),
  attack("the source swallows an error and ends", held({ known: 40, removed: 20 }), (service) =>
    send(
      service,
      (async function* () {
        try {
          yield* throwingAfter(20);
        } catch {}
      })(),
    ),
  ),
  attack("the source turns an error into an empty page", held({ known: 40, removed: 40 }), (service) =>
    send(
      service,
      (async function* () {
        yield await Promise.reject<Account[]>(new Error("429")).catch(() => []);
      })(),
    ),
  ),
  attack(
    "a pager stops at a page that is shorter than requested",
    held({ known: 40, removed: 30 }),
    (service) =>
      send(
        service,
        (async function* () {
          for (let page = 0; ; page += 1) {
            const { users } = await vendorPage(page);
            yield users;
            // The vendor returns at most 10 records.
            if (users.length < 100) return;
          }
        })(),
      ),
  ),
  attack("a filter is left on", held({ known: 40, removed: 14 }), (service) =>
    send(
      service,
      people().filter((record) => record.active),
    ),
  ),
  attack("the source has fewer records than the vendor's total", INVALID, (service) =>
    send(service, people(0, 39), {}, { expectedCount: 40 }),
  ),
  attack("the source has more records than the vendor's total", INVALID, (service) =>
    send(service, people(), {}, { expectedCount: 39 }),
  ),
  attack(
    "the source ends quietly because the signal of the write fired",
    ownException("the user closed the window"),
    (service) => {
      const stop = new AbortController();
      const source = quietAfter(20, stop.signal, () => stop.abort(new Error("the user closed the window")));
      return send(service, source, {}, { signal: stop.signal });
    },
  ),
  attack(
    "the source ends quietly because the signal of the run fired",
    ownException("shutdown"),
    (service) => {
      const stop = new AbortController();
      const source = quietAfter(20, stop.signal, () => stop.abort(new Error("shutdown")));
      return send(service, source, { signal: stop.signal });
    },
  ),
  attack(
    "a stream is destroyed in the middle without an error",
    refused("ERR_STREAM_PREMATURE_CLOSE"),
    (service) => {
      const stream = new Readable({ objectMode: true, read() {} });
      stream.push(people(0, 20));
      stream.once("data", () => stream.destroy());
      stream.pause();
      return send(service, stream);
    },
  ),
  attack(
    "a generator was read before by a loop that logs it",
    held({ known: 40, removed: 40 }),
    (service) => {
      const accounts = people().values();
      for (const _ of accounts);
      return send(service, accounts);
    },
  ),
  attack("a Node stream was read before", INVALID, async (service) => {
    const stream = Readable.from([people()]);
    stream.resume();
    await once(stream, "end");
    return send(service, stream);
  }),
  attack("an array is filled while it is written", INVALID, (service) =>
    service.run(["accounts"], async (batch) => {
      const list = people(0, 20);
      const written = batch.write("accounts", list);
      list.push(...people(20));
      await written;
    }),
  ),
  attack("other records are put into an array while it is written", INVALID, (service) =>
    service.run(["accounts"], async (batch) => {
      const list = people();
      const written = batch.write("accounts", list);
      list.splice(0, 20, ...people(100, 120));
      await written;
    }),
  ),
  attack("an array is emptied before its write begins", POISONED, (service) =>
    service.run(["accounts"], async (batch) => {
      const list = people();
      void batch.write("accounts", list);
      list.length = 0;
    }),
  ),
  attack("an array is pushed, emptied and refilled without waiting", WHOLE, (service) =>
    service.run(["accounts"], async (batch) => {
      const writer = batch.writer("accounts");
      const page: Account[] = [];
      for (const account of people()) {
        page.push(account);
        if (page.length < 10) continue;
        void writer.write(page);
        page.length = 0;
      }
      await writer.end();
    }),
  ),
  attack("a generator returns its last page instead of yielding it", INVALID, (service) =>
    send(
      service,
      (function* () {
        yield people(0, 35);
        return people(35);
      })(),
    ),
  ),
  attack("a window is lost, and the source can be read only once", WHOLE, {
    attack: (service) => {
      breakTwice(service, "SyncRecords");
      return send(service, Readable.from(people()));
    },
    check: (_, [receipt]) => expect(receipt).toMatchObject({ restarts: 1 }),
  }),
  attack(
    "another run is completed meanwhile, and the source goes on at a cursor outside of the function",
    refused("RUN_OUTDATED"),
    {
      ...overtaken(
        (service) => send(service, people(0, 41)),
        (service, others) => {
          let page = 0;
          return send(service, async function* () {
            for (; page < 4; page += 1) {
              if (page === 2) await others();
              yield (await vendorPage(page)).users;
            }
            page = 2;
          });
        },
      ),
    },
  ),
  attack("many new ids hide that all known ids are gone", held({ known: 40, removed: 40 }), (service) =>
    send(service, [...renamed((id) => `user:${id}`), ...people(100, 300)]),
  ),
  attack("a record is invalid, and the failure is swallowed", POISONED, (service) =>
    service.run(["accounts"], async (batch) => {
      await batch.write("accounts", [...people(), { id: "" }]).catch(() => {});
    }),
  ),
  attack("records of another collection are written", held({ known: 40, removed: 40 }), (service) =>
    send(
      service,
      people().map((_, i) => ({ id: `group-${i}`, name: `group ${i}` })),
    ),
  ),
]);

async function* throwingAfter(count: number): AsyncGenerator<Account[], void, undefined> {
  if (count > 0) yield people(0, count);
  throw new Error("the vendor is down");
}

async function* quietAfter(count: number, signal: AbortSignal, fire: () => void) {
  yield people(0, count);
  fire();
  if (signal.aborted) return;
  yield people(count);
}
