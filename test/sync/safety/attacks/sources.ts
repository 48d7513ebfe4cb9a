import { once } from "node:events";
import { Readable, Transform } from "node:stream";
import { type Attack, held, ownException, refused } from "./attack.js";
import { type Account, type AccountBatch, people, renamed, vendorPage, type World } from "./world.js";

/** Ways in which a source gives less than there is. */
export const sourceAttacks: readonly Attack[] = [
  {
    name: "the source throws before its first record",
    stop: "poisoned batch",
    ending: ownException(/^the vendor is down$/),
    attack: ({ send }) => send(throwingAfter(0)),
  },
  {
    name: "the source throws in the middle",
    stop: "poisoned batch",
    ending: ownException(/^the vendor is down$/),
    attack: ({ send }) => send(throwingAfter(20)),
  },
  {
    name: "the source throws after its last record",
    stop: "poisoned batch",
    ending: ownException(/^the vendor is down$/),
    attack: ({ send }) => send(throwingAfter(40)),
  },
  {
    name: "the source throws, and the function swallows the exception",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /the write of accounts failed, so the batch's snapshots are not whole/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        await batch.write("accounts", throwingAfter(20)).catch(() => {});
      }),
  },
  {
    name: "the source swallows an inner error and ends",
    stop: "removal guard",
    ending: held(/20 of 40 known ids of accounts would be removed/),
    attack: ({ send }) =>
      send(
        (async function* () {
          try {
            yield* throwingAfter(20);
          } catch {}
        })(),
      ),
  },
  {
    name: "the source swallows an inner error into an empty page",
    stop: "removal guard",
    ending: held(/40 of 40/),
    attack: ({ send }) =>
      send(
        (async function* () {
          yield await Promise.reject<Account[]>(new Error("429")).catch(() => []);
        })(),
      ),
  },
  {
    name: "the vendor answers 200 with an error page, of which a hand-written pager makes an empty list",
    stop: "removal guard",
    ending: held(/40 of 40/),
    attack: ({ send }) => {
      const answer: { readonly users?: Account[]; readonly error: string } = { error: "try again later" };
      return send(answer.users ?? []);
    },
  },
  {
    name: "a hand-written pager takes a page that is shorter than it asked for as the last one",
    stop: "removal guard",
    ending: held(/30 of 40/),
    attack: ({ send }) =>
      send(
        (async function* () {
          for (let page = 0; ; page += 1) {
            const { users } = await vendorPage(page);
            yield users;
            // The vendor gives at most 10.
            if (users.length < 100) return;
          }
        })(),
      ),
  },
  {
    name: "a filter is left on",
    stop: "removal guard",
    ending: held(/14 of 40/),
    attack: ({ send }) => send(people().filter(({ generic }) => generic.active)),
  },
  {
    name: "the source has fewer records than the vendor's total",
    stop: "expected count",
    ending: refused("INVALID_INPUT", /source of accounts had 39 records, and expectedCount says 40/),
    attack: ({ send }) => send(people(0, 39), {}, { expectedCount: 40 }),
  },
  {
    name: "the source has more records than the vendor's total",
    stop: "expected count",
    ending: refused("INVALID_INPUT", /had 40 records, and expectedCount says 39/),
    attack: ({ send }) => send(people(), {}, { expectedCount: 39 }),
  },
  {
    name: "a signal of the write ends the source quietly",
    stop: "poisoned batch",
    ending: ownException(/^the user closed the window$/),
    attack: ({ send }) => {
      const stop = new AbortController();
      return send(
        quietAfter(20, stop.signal, () => stop.abort(new Error("the user closed the window"))),
        {},
        { signal: stop.signal },
      );
    },
  },
  {
    name: "the run's signal ends the source quietly",
    stop: "not completed",
    ending: ownException(/^shutdown$/),
    attack: ({ send }) => {
      const stop = new AbortController();
      return send(
        quietAfter(20, stop.signal, () => stop.abort(new Error("shutdown"))),
        { signal: stop.signal },
      );
    },
  },
  {
    name: "a stream is destroyed in the middle without an error",
    stop: "poisoned batch",
    ending: refused("ERR_STREAM_PREMATURE_CLOSE", /Premature close/),
    attack: ({ send }) => {
      const stream = new Readable({ objectMode: true, read() {} });
      stream.push(people(0, 20));
      stream.once("data", () => stream.destroy());
      stream.pause();
      return send(stream);
    },
  },
  {
    name: "a generator was consumed before by a loop that logs it",
    stop: "removal guard",
    ending: held(/40 of 40/),
    attack: ({ send }) => {
      const accounts = people().values();
      for (const _ of accounts);
      return send(accounts);
    },
  },
  {
    name: "a Node stream was read before",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that somebody has read from/),
    attack: async ({ send }) => {
      const stream = Readable.from([people()]);
      stream.resume();
      await once(stream, "end");
      return send(stream);
    },
  },
  {
    name: "a stream of bytes is empty",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /is a stream of bytes, which holds no records/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        // As untyped code has it.
        const body: ReadableStream | null = new Response("").body;
        await batch.write("accounts", body ?? []);
      }),
  },
  {
    name: "records are in a Map, which is empty",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /is a Map, which holds no records/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const byId = new Map();
        await batch.write("accounts", byId);
      }),
  },
  {
    name: "a web stream was read before",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that somebody has read from/),
    attack: async ({ send }) => {
      const stream = new ReadableStream<Account[]>({
        start: (controller) => {
          controller.enqueue(people());
          controller.close();
        },
      });
      for await (const _ of stream);
      return send(stream);
    },
  },
  {
    name: "an array is still being filled while it is written",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /an array that had 20 entries .* and has 40 now/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const list = people(0, 20);
        const written = batch.write("accounts", list);
        list.push(...people(20));
        await written;
      }),
  },
  {
    name: "an array is emptied for its next use before its write had its turn",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /an array that had 40 entries .* and has 0 now/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const list = people();
        void batch.write("accounts", list);
        list.length = 0;
      }),
  },
  {
    name: "an array is filled anew, as long as before, before its write had its turn",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /an array that holds other entries now/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const list = people();
        void batch.write("accounts", list);
        list.splice(0, list.length, ...people(1, list.length + 1));
      }),
  },
  {
    name: "a page within an array is emptied for its next use before its write had its turn",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /holds an array that had 40 entries .* and has 0 now/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const page = people();
        void batch.write("accounts", [page]);
        page.length = 0;
      }),
  },
  {
    name: "a page within an array is filled anew, as long as before, before its write had its turn",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /holds an array that holds other entries now/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const page = people(20);
        void batch.write("accounts", [people(0, 20), page]);
        page.splice(0, page.length, ...people(100, 100 + page.length));
      }),
  },
  {
    name: "a set is cleared for its next use before its write had its turn",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /a collection that had 40 entries .* and has 0 now/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const accounts = new Set(people());
        void batch.write("accounts", accounts);
        accounts.clear();
      }),
  },
  {
    name: "a stream fills its one array anew while the service is waited for",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /gave an array that holds other entries now/),
    attack: ({ send }) => send(streamOfOneArray(() => new Promise(setImmediate), 2 ** 20)),
  },
  {
    name: "a stream fills its one array anew before it is taken",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that gave the same array again/),
    attack: ({ send }) => send(streamOfOneArray(() => Promise.resolve())),
  },
  {
    name: "a stream fills its one record object anew",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that gave the same record object again/),
    attack: ({ send }) => {
      const record = { generic: { id: "" } };
      return send(
        readingAhead(({ generic }) => {
          record.generic.id = generic.id;
          return record;
        }),
      );
    },
  },
  {
    name: "a stream fills the fields of its one record anew, in new objects",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that gave the same record object again/),
    attack: ({ send }) => {
      const row = { id: "" };
      return send(
        readingAhead(({ generic }) => {
          row.id = generic.id;
          return { generic: row };
        }),
      );
    },
  },
  {
    name: "a web stream fills its one record object anew, in new arrays",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that gave the same record object again/),
    attack: ({ send }) => {
      const record = { generic: { id: "" } };
      const accounts = people();
      return send(
        new ReadableStream<Account[]>(
          {
            pull: (controller) => {
              const next = accounts.shift();
              if (next === undefined) return controller.close();
              record.generic.id = next.generic.id;
              controller.enqueue([record]);
            },
          },
          { highWaterMark: 8 },
        ),
      );
    },
  },
  {
    name: "a stream fills the record objects of a page anew for the next one",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that gave the same record object again/),
    attack: ({ send }) => {
      const pool = people(0, 10);
      return send(
        Readable.from([0, 1, 2, 3]).map(async (page: number) => {
          const { users } = await vendorPage(page);
          return users.map((user, i) => Object.assign(pool[i] ?? user, user));
        }),
      );
    },
  },
  {
    name: "an array is pushed, emptied and filled anew without a wait",
    stop: "nothing lost",
    ending: { kind: "whole" },
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const writer = batch.open("accounts");
        const page: Account[] = [];
        for (const account of people()) {
          page.push(account);
          if (page.length < 10) continue;
          void writer.push(page);
          page.length = 0;
        }
        await writer.seal();
      }),
  },
  {
    name: "one record object is pushed again and again without a wait",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /pushed again before its last push had resolved/),
    attack: ({ run }) =>
      run(["accounts"], async (batch) => {
        const writer = batch.open("accounts");
        const record = { generic: { id: "" } };
        for (const { generic } of people()) {
          record.generic.id = generic.id;
          void writer.push(record);
        }
        await writer.seal();
      }),
  },
  {
    name: "a generator returns its last page in place of yielding it",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /together with done: true/),
    attack: ({ send }) =>
      send(
        (function* () {
          yield people(0, 35);
          return people(35);
        })(),
      ),
  },
  {
    name: "an exhausted iterator meets a restart",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /an iterator that an earlier write has read/),
    attack: ({ send, breakTwice }) => {
      const accounts = people().values();
      breakTwice("SyncRecords");
      return send(accounts);
    },
  },
  {
    name: "an iterable hands out its one iterator again at a restart",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /an iterator that an earlier write has read/),
    attack: ({ send, breakTwice }) => {
      const iterator = people().values();
      breakTwice("SyncRecords");
      return send({ [Symbol.iterator]: () => iterator });
    },
  },
  {
    name: "a stream meets a restart",
    stop: "poisoned batch",
    ending: refused("INVALID_INPUT", /a stream that somebody has read from/),
    attack: ({ send, breakTwice }) => {
      const stream = Readable.from(people());
      breakTwice("SyncRecords");
      return send(stream);
    },
  },
  {
    name: "a restart gets fewer records than the attempt before, all of them new",
    stop: "removal guard",
    ending: held(/among them 0 of the 40 .*, \d+ of them sent by an earlier attempt of this run/),
    attack: ({ send, breakTwice }) => {
      breakTwice("SyncRecords", "request", 5);
      return send(({ number }) => people(0, number === 1 ? 100 : 40));
    },
  },
  {
    name: "a cursor that lives outside of the function makes a restart go on in the middle",
    stop: "removal guard",
    ending: held(/of 40 known ids/),
    attack: ({ send, breakTwice }) => {
      let page = 0;
      return send(async function* () {
        for (; page < 4; page += 1) {
          if (page === 2) breakTwice("SyncRecords");
          yield (await vendorPage(page)).users;
        }
      });
    },
  },
  {
    name: "a restart's many new ids hide that all known ids are gone",
    stop: "removal guard",
    ending: held(/among them 40 of the 40 of the last completed snapshot/),
    attack: ({ send, breakTwice }) => {
      breakTwice("SyncRecords", "request", 2);
      return send(() => [...renamed((id) => `user:${id}`), ...people(100, 300)]);
    },
  },
  {
    name: "a record is invalid, and the failure is swallowed",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /the write of accounts failed \(INVALID_INPUT: accounts\[40\]/),
    attack: (world) => writeSwallowing(world, [...people(), { generic: { id: "" } }]),
  },
  {
    name: "a record is too large, and the failure is swallowed",
    stop: "poisoned batch",
    ending: refused(
      "BATCH_STATE",
      /the write of accounts failed \(INVALID_INPUT: accounts\[40\].*16777215 bytes/,
    ),
    attack: (world) =>
      writeSwallowing(world, [...people(), { generic: { id: "big", name: "n".repeat(2 ** 24) } }]),
  },
  {
    name: "records of another collection are written",
    stop: "removal guard",
    ending: held(/40 of 40/),
    attack: ({ send }) => {
      const groups = people().map((_, i) => ({ generic: { id: `group-${i}`, name: `group ${i}` } }));
      return send(groups);
    },
  },
];

function writeSwallowing({ run }: World, accounts: readonly Account[]) {
  return run(["accounts"], async (batch: AccountBatch) => {
    await batch.write("accounts", accounts).catch(() => {});
  });
}

/** A parser's stream: it makes further records while one waits to be read. */
function readingAhead(make: (account: Account) => unknown): Readable {
  return Readable.from(people()).pipe(
    new Transform({ objectMode: true, transform: (account, _, done) => done(null, make(account)) }),
  );
}

/** Asks for its next page as soon as one is read. */
function streamOfOneArray(beforePage: () => Promise<unknown>, nameLength = 1): ReadableStream<Account[]> {
  const name = "n".repeat(nameLength);
  const pages = [people(0, 20), people(20)];
  const page: Account[] = [];
  return new ReadableStream<Account[]>({
    pull: async (controller) => {
      await beforePage();
      const next = pages.shift();
      if (next === undefined) return controller.close();
      page.splice(0, page.length, ...next.map(({ generic }) => ({ generic: { ...generic, name } })));
      controller.enqueue(page);
    },
  });
}

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
