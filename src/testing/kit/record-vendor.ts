import { InvalidInputError, TransportError } from "../../core/errors/index.js";
import { networkErrorOf } from "../../core/network-errors.js";
import { isText, listOf, readOptions } from "../../core/validate.js";
import { type Connector, readConnector } from "../../runs/connector.js";
import type { EventCollection, SnapshotCollection } from "../../sync/collections.js";
import { counted } from "../../sync/report-text.js";
import type { Exchange } from "./cassette/cassette.js";
import { pathOf, writeCassette } from "./cassette/cassette-file.js";
import { redact } from "./cassette/redaction.js";
import { unreadPages } from "./structure/unread.js";
import { loadVendor } from "./time/install.js";
import type { Forwarding } from "./vendor/server.js";

/**
 * Records a vendor's answers to a connector, for `testConnector`. Runs the connector once against the real vendor, and
 * again if it advanced a watermark. Nothing is sent to the service (`context.preview` is true).
 *
 * - Replaces every string with a fake of the same form, and equal words with equal fakes, so ids, cursors and links in
 *   requests still match the answers. Keeps numbers, booleans, times, field names and words of paths. Also keeps values
 *   that repeat like an enum's, and prints them by field. Drops all headers but those for paging, waiting and dates.
 * - Keeps nothing of what the connector itself sends, such as keys. If such values distinguish requests, a digest of
 *   20 bits takes their place.
 * - Records requests made with fetch, undici, `node:http` and `node:https`, and with libraries that use them. Can't see
 *   HTTP/2, raw sockets, child processes, or your own dispatchers and agents (proxies, client certificates).
 *
 * @example
 * ```ts
 * const to = "test/acme.cassette.json";
 * await recordVendor(acme, { to, keep: ["status"] });
 * ```
 * @throws {InvalidInputError} an option is invalid, or the connector made no HTTP request
 * @throws {ConfigurationError} the cassette can't be written
 * @throws {TransportError} the vendor can't be reached
 * @throws errors of the connector, unchanged; no cassette is written then
 */
export async function recordVendor<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: {
    /** Path or file URL of the cassette. An existing file is replaced. */
    readonly to: string | URL;
    /** Names of fields, parameters and headers whose values aren't replaced. @default none */
    readonly keep?: readonly string[] | undefined;
  },
): Promise<void> {
  const caller = "recordVendor";
  const checked = readConnector(caller, connector);
  const { to, keep = [] } = readOptions(caller, options, {
    to: true,
    keep: { expected: "an array of names of fields", fits: listOf(isText) },
  });
  const path = pathOf(to);
  const first = await record(checked, new Map());
  if (first.exchanges.length === 0) {
    throw new InvalidInputError(
      "The connector made no HTTP request that can be recorded, so no cassette was written. HTTP/2, raw sockets, child processes and your own dispatchers are not seen. Without a cassette, testConnector puts the faults into the records of the connector instead.",
    );
  }
  const second = first.watermarks.size === 0 ? undefined : await record(checked, first.watermarks);
  const runs = second === undefined || second.exchanges.length === 0 ? [first] : [first, second];
  const { cassette, kept } = redact(runs, keep);
  await writeCassette(path, cassette);
  print(path, runs, kept);
}

type Watermarks = ReadonlyMap<EventCollection, string>;

interface Recorded {
  readonly startedAt: string;
  readonly exchanges: readonly Exchange[];
  /** The watermarks that the connector advanced. */
  readonly watermarks: Watermarks;
}

async function record(connector: Connector<SnapshotCollection>, known: Watermarks): Promise<Recorded> {
  const startedAt = new Date().toISOString();
  const watermarks = new Map<EventCollection, string>();
  const { startVendor } = await loadVendor();
  const vendor = await startVendor(() => forwarding.run.route);
  const forwarding = vendor.forward();
  const { createSyncClient } = await import("../../runs/engine.js");
  // The client never connects, because a preview sends nothing.
  const client = createSyncClient({ endpoint: "https://not-used.invalid" });
  const following: Connector<SnapshotCollection> = {
    ...connector,
    run: (batch, context) =>
      connector.run(batch, {
        ...context,
        watermark: (name) => context.watermark(name) ?? known.get(name),
        advance(name, value) {
          context.advance(name, value);
          watermarks.set(name, value);
        },
      }),
  };
  try {
    await client.preview(following, { ledger: "none" });
    return { startedAt, exchanges: forwarding.exchanges, watermarks };
  } catch (error) {
    throw unreachable(error, forwarding) ?? error;
  } finally {
    await forwarding.end();
    await vendor.close();
    await client.close();
  }
}

function print(
  path: string,
  runs: readonly Recorded[],
  kept: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const unread = new Set(runs.flatMap(({ exchanges }) => unreadPages(exchanges)));
  const requests = runs.map(({ exchanges }) => counted(exchanges.length, "request")).join(", then ");
  const lines = [
    `${path}: ${requests}. Read the file before you commit it.`,
    ...[...kept].map(
      ([field, values]) => `  ${field} is kept as it is: ${[...values].slice(0, 8).join(", ")}`,
    ),
    ...[...unread].map((listing) => `  NOT READ TO ITS END: ${listing}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Says why the vendor couldn't be reached. The connector only saw its connection to this process break. */
function unreachable(error: unknown, { failures }: Forwarding): TransportError | undefined {
  const failure = failures.at(-1);
  if (failure === undefined || networkErrorOf(error).code === undefined) return undefined;
  const { description, advice, code } = networkErrorOf(failure.error);
  return new TransportError(
    `${failure.origin} could not be reached: ${description}${code === undefined ? "" : ` (${code})`}. ${advice}. No cassette was written.`,
    { cause: error },
  );
}
