import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import {
  StartSyncBatchRequest,
  StartSyncBatchResponse,
  SyncRecordsRequest,
} from "../../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { accounts } from "../grpc-records.js";
import { type Crowd, type Misbehaviour, times } from "./crowd.js";
import { message, RECORDS_PATH, START_PATH } from "./sync-frames.js";

const BATCHES = 8;
const LARGE = "x".repeat(50_000);

/** The answer's message; empty where the call was refused. */
async function answer(
  crowd: Crowd,
  session: ClientHttp2Session,
  path: string,
  body: Buffer,
): Promise<Buffer> {
  const opened = crowd.call(session, path);
  const pieces: Buffer[] = [];
  opened.on("data", (piece: Buffer) => pieces.push(piece));
  const closed = once(opened, "close");
  opened.end(body);
  await closed;
  return Buffer.concat(pieces).subarray(5);
}

/** Batches that are started, written to with messages that are refused, and left alone. */
export const BATCHES_LEFT_ALONE: readonly Misbehaviour[] = [
  {
    name: "batches that are started, sent what is none of theirs, and left alone",
    act: async (crowd) => {
      const session = await crowd.session();
      const { installationId } = crowd.server;
      const start = message(StartSyncBatchRequest.encode({ installationId }).finish());
      const of = (batchId: string, id: string) =>
        message(SyncRecordsRequest.encode({ batchId, collection: accounts({ id, name: LARGE }) }).finish());
      await times(BATCHES, async (i) => {
        const { batchId } = StartSyncBatchResponse.decode(await answer(crowd, session, START_PATH, start));
        if (batchId === "") throw new Error("No batch was started.");
        for (const body of [
          of(`nobody's ${i}`, "u1"),
          of(batchId, ""),
          message(Buffer.alloc(LARGE.length, 0xab)),
          Buffer.concat([
            message(SyncRecordsRequest.encode({ batchId, collection: undefined }).finish()),
            of(batchId, "u1"),
          ]),
        ]) {
          if ((await answer(crowd, session, RECORDS_PATH, body)).length > 0)
            throw new Error("It was not refused.");
        }
        await crowd.server.expireLeases();
      });
    },
  },
];
