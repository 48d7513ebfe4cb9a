import { randomBytes } from "node:crypto";
import { z } from "zod";
import { ConfigurationError, InvalidInputError, TransportError } from "../../core/errors/index.js";
import { networkErrorOf } from "../../core/network-errors.js";
import { describeType, readOptions } from "../../core/validate.js";
import type { SnapshotCollection } from "../../sync/collections.js";
import type { Connector } from "../../sync/run/connector.js";
import type { Exchange } from "./cassette/cassette.js";
import { findCassette, pathOf, writeCassette } from "./cassette/cassette-file.js";
import { credentialsSent } from "./cassette/credentials.js";
import { redact } from "./cassette/redaction.js";
import { openKey, sealKey } from "./cassette/sealed-key.js";
import { secretsOfEnvironment } from "./cassette/secret-names.js";
import { loadVendor } from "./time/install.js";
import type { Forwarding } from "./vendor/forwarding.js";

/**
 * Records what the vendor answers a connector, for `testConnector`. The connector runs once, against the real
 * vendor; nothing is sent to the service (`context.preview` is true).
 *
 * - Credentials are replaced by canaries, and personal data by fakes: addresses of e-mail wherever they are; names,
 *   logins, phones, postal and IP addresses by the names of their fields in JSON and in parameters, and then wherever
 *   they occur. Equal values get equal fakes, ids stay. In bodies other than JSON and forms nothing else is found, and
 *   binary bodies stay as they are: look at a cassette before you commit it.
 * - Nobody can compute fakes of their own, because the key of the fakes is random. It is kept in the cassette, sealed with
 *   the vendor's credential, so that the fakes of a later day are the same.
 * - Recorded are requests of fetch, undici, `node:http` and `node:https`, and of what is built on them. Not HTTP/2, raw
 *   sockets, child processes, and dispatchers or agents of your own (proxies, client certificates).
 *
 * @example
 * ```ts
 * await recordVendor(acme, { to: "test/acme.cassette.json" });
 * ```
 * @throws {InvalidInputError} an option is invalid, or the connector made no HTTP request
 * @throws {ConfigurationError} the cassette cannot be read or written, or its fakes cannot be continued
 * @throws {TransportError} the vendor cannot be reached
 * @throws errors of the connector, unchanged; nothing is written then
 */
export async function recordVendor<const S extends SnapshotCollection = never>(
  connector: Connector<S>,
  options: {
    /** Path or file URL of the cassette. A day is added to one that exists. */
    readonly to: string | URL;
    /** `YYYY-MM-DD`. A day that is there already is replaced. @default today, in UTC */
    readonly day?: string | undefined;
  },
): Promise<void> {
  const { to, day = new Date().toISOString().slice(0, 10) } = readOptions("recordVendor", options, {
    to: true,
    day: true,
  });
  if (!z.iso.date().safeParse(day).success)
    throw new InvalidInputError(
      `recordVendor: day must be a date as 2026-11-22, got ${typeof day === "string" ? "another string" : describeType(day)}.`,
    );
  const before = await findCassette(to);
  const startedAt = new Date().toISOString();
  const exchanges = await record(connector);
  if (exchanges.length === 0) {
    throw new InvalidInputError(
      "The connector made no HTTP request that can be recorded, so no cassette was written. HTTP/2, raw sockets, child processes and dispatchers of your own are not seen. Without a cassette, testConnector strikes the records of the connector instead.",
    );
  }
  const credentials = new Set(exchanges.flatMap(({ request }) => [...credentialsSent(request)]));
  const others = before?.days.filter((other) => other.day !== day) ?? [];
  const known = await openKey(before?.sealedKeys ?? [], credentials);
  if (known === undefined && others.length > 0) {
    throw new ConfigurationError(
      `The fakes of the cassette ${pathOf(to)} cannot be continued, because no credential that the connector sends is one of its first day (or none is long and random enough). Record all days into a new cassette, with one credential.`,
    );
  }
  const key = known ?? randomBytes(32);
  const redacted = redact(exchanges, { key, secrets: secretsOfEnvironment() });
  const days = [...others, { day, startedAt, exchanges: redacted }].sort((a, b) => (a.day < b.day ? -1 : 1));
  const sealedKeys = known === undefined ? await sealKey(key, credentials) : before?.sealedKeys;
  await writeCassette(to, { version: 1, sealedKeys, days });
}

async function record(connector: Connector<SnapshotCollection>): Promise<readonly Exchange[]> {
  const { startVendor } = await loadVendor();
  const vendor = await startVendor(() => forwarding.run.route);
  const forwarding = vendor.forward();
  const { createSyncClient } = await import("../../sync/client.js");
  // Nothing is connected: a preview sends nothing.
  const client = createSyncClient({ endpoint: "https://not-used.invalid" });
  try {
    await client.preview(connector, { ledger: "none" });
    return forwarding.exchanges;
  } catch (error) {
    throw unreachable(error, forwarding) ?? error;
  } finally {
    await forwarding.end();
    await vendor.close();
    await client.close();
  }
}

/** The connector saw a connection to this process that broke, not why the one to the vendor did. */
function unreachable(error: unknown, { failures }: Forwarding): TransportError | undefined {
  const failure = failures.at(-1);
  if (failure === undefined || networkErrorOf(error).code === undefined) return undefined;
  const { description, advice, code } = networkErrorOf(failure.error);
  return new TransportError(
    `${failure.origin} could not be reached: ${description}${code === undefined ? "" : ` (${code})`}. ${advice}. No cassette was written.`,
    { cause: error },
  );
}
