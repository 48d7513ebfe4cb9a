import { constants } from "node:http2";
import { added, END_HEADERS, END_STREAM, FrameType, frame, LATEST, literal } from "../http2-frames.js";
import { type Misbehaviour, repeat, times, write } from "./crowd.js";
import { callFrame as call, RECORDS, recordsWithKey, streamNumber } from "./sync-frames.js";

/** What can be done to the port of the Sync API by connections and frames of HTTP/2. */
export const HTTP2: readonly Misbehaviour[] = [
  {
    name: "connections that say nothing, half a frame, or what is no HTTP/2",
    act: (crowd) => {
      const hellos = [
        "",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0",
        "PRI * HT",
        "POST / HTTP/1.1\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000",
      ];
      return times(240, (i) => crowd.say(crowd.server.syncUrl, hellos[i % hellos.length] ?? ""));
    },
  },
  {
    name: "calls that are reset at once",
    act: (crowd) =>
      crowd.sayFrames(
        repeat(400, (i) =>
          Buffer.concat([
            call(i, recordsWithKey(crowd.server.apiKey)),
            frame(FrameType.reset, 0, streamNumber(i), Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])),
          ]),
        ),
      ),
  },
  {
    name: "headers without end",
    act: (crowd) =>
      crowd.sayFrames(
        frame(FrameType.headers, 0, 1, RECORDS),
        repeat(200, (i) => frame(FrameType.continuation, 0, 1, literal(`x-${i}`, "x".repeat(16_000)))),
      ),
  },
  {
    name: "headers of one byte that stand for 4 KB",
    act: (crowd) =>
      crowd.sayFrames(
        repeat(10, (i) =>
          frame(
            FrameType.headers,
            END_HEADERS | END_STREAM,
            streamNumber(i),
            Buffer.concat([RECORDS, added("x-large", "x".repeat(4000)), repeat(12_000, () => LATEST)]),
          ),
        ),
      ),
  },
  {
    name: "pings, settings, priorities, windows and frames that nobody knows",
    act: (crowd) =>
      crowd.sayFrames(
        repeat(1500, (i) =>
          Buffer.concat([
            frame(FrameType.ping, 0, 0, Buffer.alloc(8)),
            frame(FrameType.settings, 0, 0),
            frame(FrameType.priority, 0, streamNumber(i), Buffer.from([0, 0, 0, 0, 1])),
            frame(FrameType.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])),
            frame(FrameType.unknown, 0, 0, Buffer.alloc(100)),
          ]),
        ),
      ),
  },
  {
    name: "slow clients that send their headers byte by byte",
    act: async (crowd) => {
      const begun = frame(FrameType.headers, END_HEADERS, 1, RECORDS);
      const sockets = await Promise.all(Array.from({ length: 30 }, () => crowd.sayFrames()));
      for (const byte of begun.subarray(0, 12)) {
        for (const socket of sockets) await write(socket, Buffer.from([byte]));
        await crowd.server.quiet();
      }
    },
  },
];
