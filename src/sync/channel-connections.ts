import type { Client } from "@grpc/grpc-js";
import type { Clock } from "../clock.js";
import { ClosedError } from "../errors.js";
import { CONNECT_LIMIT_MS, Connection } from "./channel-connection.js";
import type { ConnectionFailure } from "./connection-failure.js";
import type { CallContext } from "./transport.js";
