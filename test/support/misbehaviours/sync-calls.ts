import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { END_HEADERS, END_STREAM, FrameType, frame, literal } from "../http2-frames.js";
import { type Crowd, type Misbehaviour, repeat, times } from "./crowd.js";
import {
  CALL_BYTES,
  CALLS,
  COMPLETE_PATH,
  callFrame as call,
  dataFrame as data,
  message,
  RECORDS,
  RECORDS_PATH,
  recordsWithKey,
  START,
  START_PATH,
  streamNumber,
} from "./sync-frames.js";

const MEBIBYTE = 1024 * 1024;
const BOMB = message(gzipSync(Buffer.alloc(16 * MEBIBYTE - 1)), undefined, true);

/** Sends it as the body of a call whose key is right. */
async function sendWithKey(crowd: Crowd, bytes: Buffer, headers = {}): Promise<void> {
  const session = await crowd.session();
  const opened = crowd.call(session, RECORDS_PATH, headers);
  const closed = once(opened, "close");
  opened.resume().end(bytes);
  await closed;
}

/** What can be done to the Sync API by calls and their messages. */
export const SYNC_CALLS: readonly Misbehaviour[] = [
  {
    name: "calls without a key",
    act: (crowd) =>
      times(2, (i) =>
        crowd.sayFrames(
          repeat(CALLS, (j) =>
            Buffer.concat([
              call(j, i % 2 === 0 ? START : RECORDS),
              data(j, message(Buffer.alloc(500)), END_STREAM),
            ]),
          ),
        ),
      ),
  },
  {
    name: "calls without a key whose message is never finished",
    // Of 8 MiB that come, and of 1.4 GiB that are announced.
    heldBytes: CALLS * CALL_BYTES,
    act: async (crowd) => {
      const session = await crowd.session();
      for (let i = 0; i < CALLS; i += 1) {
        const path = i % 2 === 0 ? START_PATH : COMPLETE_PATH;
        const opened = crowd.call(session, path, { authorization: "ApiKey nobody" });
        opened.resume().write(message(Buffer.alloc(100_000), 16 * MEBIBYTE - 1));
      }
      await crowd.server.quiet();
    },
  },
  {
    name: "messages without a key that unpack to 16 MiB",
    act: (crowd) =>
      crowd.sayFrames(
        repeat(20, (i) =>
          Buffer.concat([
            call(i, Buffer.concat([START, literal("grpc-encoding", "gzip")])),
            data(i, BOMB.subarray(0, 16_000)),
            data(i, BOMB.subarray(16_000), END_STREAM),
          ]),
        ),
      ),
  },
  {
    name: "messages that unpack to 16 MiB",
    act: (crowd) => sendWithKey(crowd, BOMB, { "grpc-encoding": "gzip" }),
  },
  {
    name: "16 MiB of garbage",
    act: (crowd) => sendWithKey(crowd, message(Buffer.alloc(16 * MEBIBYTE - 1, 0xab))),
  },
  {
    name: "messages whose length is a lie",
    act: (crowd) =>
      times(2, () =>
        crowd.sayFrames(
          repeat(CALLS, (i) =>
            Buffer.concat([
              call(i, recordsWithKey(crowd.server.apiKey)),
              data(i, message(Buffer.alloc(600), i % 2 === 0 ? 0xffff_ffff : 1), END_STREAM),
            ]),
          ),
        ),
      ),
  },
  {
    name: "streams that are neither fed nor ended",
    heldBytes: 2 * CALLS * CALL_BYTES,
    act: (crowd) =>
      times(2, () =>
        crowd.sayFrames(
          repeat(CALLS, (i) =>
            Buffer.concat([call(i, recordsWithKey(crowd.server.apiKey)), data(i, Buffer.alloc(i % 6))]),
          ),
        ),
      ),
  },
  {
    name: "calls without a key that have 45 KB of headers and never end",
    heldBytes: CALLS * (64 * 1024 + CALL_BYTES),
    act: (crowd) => {
      // A frame has 16 KiB at most, so that they take several.
      const more = repeat(3, (i) => literal(`x-${i}`, "x".repeat(15_000)));
      const pieces = (i: number) => [
        frame(FrameType.headers, 0, streamNumber(i), RECORDS),
        frame(FrameType.continuation, 0, streamNumber(i), more.subarray(0, 16_000)),
        frame(FrameType.continuation, 0, streamNumber(i), more.subarray(16_000, 32_000)),
        frame(FrameType.continuation, END_HEADERS, streamNumber(i), more.subarray(32_000)),
      ];
      return crowd.sayFrames(repeat(CALLS, (i) => Buffer.concat(pieces(i))));
    },
  },
];
