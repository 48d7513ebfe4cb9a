import type { ServerHttp2Session } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import { http2ServersOf } from "./http2-servers.js";

/**
 * How many bytes a client may have under way on one stream and on one connection.
 *
 * HTTP/2 begins with 64 KiB, which leaves 6 Mbit/s of a link of 50 ms round trip; with these windows it was 490 Mbit/s
 * (bench/reference-server-sync.ts). They are also the most that a connection can make the server hold beside the
 * messages that it is working on.
 */
const STREAM_WINDOW_BYTES = 8 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/**
 * Raises the flow-control windows of a gRPC server, for connections that are made from now on.
 *
 * The library has the option `grpc-node.flow_control_window` for clients only, so this reaches for the HTTP/2 servers
 * behind it. Should they not be found, the server works on with small windows.
 */
export function raiseWindows(server: Server): void {
  for (const http2Server of http2ServersOf(server)) {
    http2Server.updateSettings({ initialWindowSize: STREAM_WINDOW_BYTES });
    http2Server.on("session", (session: ServerHttp2Session) =>
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES),
    );
  }
}
