/** Runs every collection and every GraphQL operation of the facade once, and returns what was sent. */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http2";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { createSyncClient } from "../../src/runs/engine.js";
import { COLLECTIONS, isCollection, isSnapshot } from "../../src/sync/collections.js";
import { readMessages } from "../support/grpc-replies.js";
import { NEW_CASE } from "../support/records.js";
import { openSyncServer } from "../support/sync-server.js";
import { readGoldenRecords } from "./records.js";

/** One RPC as it arrived. */
interface RecordedCall {
  readonly rpc: string;
  readonly metadata: readonly string[];
  readonly messages: { readonly bytes: number; readonly sha256: string; readonly start: string }[];
}

/** The names of headers that don't belong to HTTP or gRPC themselves. */
function metadataOf(headers: IncomingHttpHeaders): readonly string[] {
  const OWN = /^(:|grpc-|te$|content-type$|accept-encoding$)/;
  return Object.keys(headers)
    .filter((name) => !OWN.test(name))
    .sort();
}

function describeBytes(message: Uint8Array): RecordedCall["messages"][number] {
  return {
    bytes: message.length,
    sha256: createHash("sha256").update(message).digest("hex"),
    start: Buffer.from(message).subarray(0, 48).toString("hex"),
  };
}

/** One GraphQL request as it left the client. */
interface RecordedRequest {
  readonly headers: readonly string[];
  readonly body: unknown;
}

const NAMES = Object.keys(COLLECTIONS).filter(isCollection);
const SNAPSHOTS = NAMES.filter(isSnapshot);
/** Only the aborted batch writes records of this collection; the run writes an empty one. */
const EMPTY = SNAPSHOTS.at(-1) ?? "accounts";

/** A managed run that writes all collections, and an aborted batch. */
export async function syncTranscript(): Promise<readonly RecordedCall[]> {
  const server = await openSyncServer();
  const calls: RecordedCall[] = [];
  const { answer } = server;
  server.answer = (stream, rpc, headers) => {
    const call: RecordedCall = { rpc, metadata: metadataOf(headers), messages: [] };
    calls.push(call);
    readMessages(stream, (message) => void call.messages.push(describeBytes(message)));
    answer(stream, rpc, headers);
  };
  const client = createSyncClient({ endpoint: server.endpoint, apiKey: "key-1", allowAnyEventTime: true });
  try {
    const records = readGoldenRecords();
    await client.run(
      {
        snapshots: SNAPSHOTS,
        async run(batch) {
          for (const name of NAMES) await batch.write(name, name === EMPTY ? [] : records[name]);
        },
      },
      { installationId: "installation-1", ledger: "none" },
    );
    const batch = await client.startBatch({ installationId: "installation-1" });
    await batch.write(EMPTY, records[EMPTY]);
    await batch.abort();
    return calls;
  } finally {
    await client.close();
    await server.close();
  }
}

/** Each query and each mutation of the facade once. */
export async function graphqlTranscript(): Promise<readonly RecordedRequest[]> {
  await using server = await startReferenceServer();
  const requests: RecordedRequest[] = [];
  const client = new GraphQLClient({
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    fetch: async (input, init) => {
      const headers = [...new Headers(init?.headers).keys()].sort();
      requests.push({ headers, body: JSON.parse(String(init?.body)) });
      return fetch(input, init);
    },
  });
  try {
    await client.applications({ pageSize: 2, prefetch: false }).firstPage();
    await client.licenses({ where: { state: { activity: { eq: "UNUSED" } } }, prefetch: false }).firstPage();
    await client
      .licensePlans({ from: "end", pageSize: 3, order: { name: "DESC" }, prefetch: false })
      .firstPage();
    const created = await client.createProcurementCase(NEW_CASE);
    await client.updateProcurementCase({ id: created.id, name: "Renewal 2" });
    await client.changeVendorsState({ state: "SANCTIONED" }, { vendor: { name: { contains: "Acme" } } });
    return JSON.parse(JSON.stringify(requests).replaceAll(created.id, "case-1"));
  } finally {
    await client.close();
  }
}
