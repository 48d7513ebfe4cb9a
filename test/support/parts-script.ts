/**
 * Uses the SDK while one file of it cannot be loaded, and prints as JSON how its calls end. Arguments: the file, whether
 * it is `left out` until it is there, `held back` for ever, or comes `late`, and where the servers are.
 */
import { createServer } from "node:http";
import { register } from "node:module";
import {
  fileLedger,
  previewSync,
  SaasManagementClient,
  SaasManagementError,
  type SyncBatch,
  TestClock,
} from "../../src/index.js";

const [
  file = "",
  how = "",
  baseUrl = "",
  syncUrl = "",
  apiKey = "",
  installationId = "",
  proxy,
  folder = "",
] = process.argv.slice(2);

const TIME_MS = 5000;
const THERE = 0;
const LEFT_OUT = 1;
const HELD_BACK = 2;
const state = new Int32Array(new SharedArrayBuffer(8));
register("./parts-hooks.js", { parentURL: import.meta.url, data: { file, state } });

let release = () => {};
const heldBack = new Promise<void>((resolve) => {
  release = resolve;
});
Object.assign(globalThis, { heldBack });

// Where a call has to be late, no time passes but what the script lets pass; gRPC needs some of its own to connect.
const clock = new TestClock(how === "late" ? { startAt: 0 } : {});
const common = { apiKey, clock, timeoutMs: TIME_MS };
const client = new SaasManagementClient({ ...common, baseUrl, syncUrl });
const proxied = new SaasManagementClient({ ...common, baseUrl, proxy });
const { graphql, sync } = client;

/** What a call can be ended by. */
interface Bounds {
  readonly signal?: AbortSignal | undefined;
  /** Time of a run; other calls have that of the client. */
  readonly maxDurationMs?: number;
}

interface Call {
  readonly by: readonly ("signal" | "time")[];
  /** Whether it is made in a batch that was started before, and not in one that was opened by its id. */
  readonly batch?: true;
  readonly make: (bounds: Bounds, batch: SyncBatch) => Promise<unknown>;
}

const QUERY = "{ applications { totalCount } }";
const RUN = { installationId, snapshots: ["accounts"], ledger: "none" } as const;
const BOTH = ["signal", "time"] as const;

/** The calls that need a file. */
const CALLS: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  wire: {
    request: { by: BOTH, make: ({ signal }) => graphql.request(QUERY, {}, { signal }) },
    mutation: {
      by: BOTH,
      make: ({ signal }) => graphql.createProcurementCase({ name: "Renewal" }, { signal }),
    },
    page: { by: BOTH, make: ({ signal }) => graphql.applications({}, { signal }).firstPage() },
  },
  undici: { request: { by: BOTH, make: ({ signal }) => proxied.graphql.request(QUERY, {}, { signal }) } },
  channel: {
    start: {
      by: BOTH,
      make: async ({ signal }) => (await sync.startBatch({ installationId, signal })).abort(),
    },
    abort: { by: ["time"], make: (_, batch) => batch.abort() },
    complete: { by: ["time"], make: (_, batch) => batch.complete({ unverified: true }) },
  },
  run: {
    run: {
      by: BOTH,
      make: (bounds) => sync.run({ ...RUN, ...bounds }, (batch) => batch.write("accounts", [])),
    },
  },
  "preview-run": {
    preview: {
      by: ["signal"],
      make: ({ signal }) => previewSync({ ...RUN, signal }, (batch) => batch.write("accounts", [])),
    },
  },
  writing: {
    write: {
      by: ["signal"],
      batch: true,
      make: ({ signal }, batch) => batch.write("accounts", [], { signal }),
    },
    push: {
      by: ["signal"],
      batch: true,
      make: ({ signal }, batch) => batch.open("accounts", { signal }).push([]),
    },
  },
  "examine-record": {
    write: {
      by: ["signal"],
      batch: true,
      make: ({ signal }, batch) => batch.write("accounts", [{ generic: { id: "" } }], { signal }),
    },
  },
  "ledger-directory": {
    known: {
      by: [],
      make: () => fileLedger(folder).known({ endpoint: syncUrl, installationId, collection: "accounts" }),
    },
  },
};

/** How a call ends; `meanwhile` does what ends it. */
async function endOf(
  { make, batch }: Call,
  bounds: Bounds = {},
  meanwhile?: (goesOn: () => boolean) => Promise<void>,
): Promise<unknown> {
  const own = batch === true ? await sync.startBatch({ installationId }) : sync.openBatch("batch-1");
  let goesOn = true;
  const end = make(bounds, own)
    .then(() => "done", told)
    .finally(() => {
      goesOn = false;
    });
  await meanwhile?.(() => goesOn);
  const ended = await end;
  if (batch === true) await own.abort();
  return ended;
}

function told(error: unknown): unknown {
  if (!(error instanceof SaasManagementError)) return String(error);
  const { code, message, retryable, attempts, stoppedBecause } = error;
  return { code, message, retryable, attempts, stoppedBecause, cause: String(error.cause) };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Resolves when the file was asked for. */
async function askedFor(): Promise<void> {
  while (Atomics.load(state, 1) === 0) await nextTurn();
}

const ends: Record<string, unknown> = {};
const calls = Object.entries(CALLS[file] ?? {});
if (how === "left out") {
  state[0] = LEFT_OUT;
  const failed: Record<string, unknown> = {};
  for (const [name, call] of calls) failed[name] = await endOf(call);
  state[0] = THERE;
  for (const [name, call] of calls) ends[name] = [failed[name], await endOf(call)];
}
if (how === "held back") {
  state[0] = HELD_BACK;
  for (const [name, call] of calls) {
    const ended: unknown[] = [];
    for (const by of call.by) {
      const caller = new AbortController();
      const bounds = by === "signal" ? { signal: caller.signal } : { maxDurationMs: TIME_MS };
      const end = await endOf(call, bounds, async (goesOn) => {
        await askedFor();
        if (by === "signal") caller.abort("the caller gave up");
        else while (goesOn()) await nextTurn().then(() => clock.advance(1000));
      });
      ended.push(end);
    }
    ends[name] = ended;
  }
}
if (how === "late") {
  state[0] = HELD_BACK;
  const unanswering = createServer(() => clock.advance(2000)).listen(0, "127.0.0.1");
  await new Promise((resolve) => unanswering.once("listening", resolve));
  const address = unanswering.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const late = new SaasManagementClient({ ...common, baseUrl: `http://127.0.0.1:${port}` });
  const end = late.graphql.request(QUERY).then(() => "done", told);
  await askedFor();
  clock.advance(TIME_MS - 2000);
  release();
  ends["request"] = [await end];
  await late.close();
  unanswering.closeAllConnections();
  unanswering.close();
}
await client.close();
await proxied.close();
process.stdout.write(JSON.stringify(ends));
