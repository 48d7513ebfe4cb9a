import type { Http2Server } from "node:http2";
import type { Server } from "@grpc/grpc-js";

/**
 * The HTTP/2 servers behind a gRPC server. It does not show them; none are found should a later version hide them
 * elsewhere.
 */
export function http2ServersOf(server: Server): Http2Server[] {
  const servers: unknown = server["http2Servers"];
  return servers instanceof Map ? [...servers.keys()].filter(isHttp2Server) : [];
}

function isHttp2Server(value: unknown): value is Http2Server {
  return typeof value === "object" && value !== null && "updateSettings" in value && "on" in value;
}
