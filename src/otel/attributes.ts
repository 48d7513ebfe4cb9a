import type { Attributes } from "@opentelemetry/api";
import { type ErrorCode, SaasManagementError } from "../core/errors/index.js";
import type { ChannelMessage, TracedCall } from "../core/trace.js";
import { isObject } from "../core/validate.js";

const SERVICE = "saas_management.sync.v1.SyncService";

/** gRPC statuses of errors that have their own class. */
const STATUSES: Readonly<Partial<Record<ErrorCode, string>>> = {
  AUTHENTICATION_FAILED: "UNAUTHENTICATED",
  PERMISSION_DENIED: "PERMISSION_DENIED",
  RATE_LIMITED: "RESOURCE_EXHAUSTED",
  BATCH_IN_PROGRESS: "ALREADY_EXISTS",
  TIMEOUT: "DEADLINE_EXCEEDED",
};

/** Attributes shared by a call's span and metric: the stable RPC conventions, and the SDK's own names. */
export function sharedAttributes(call: TracedCall, message: ChannelMessage): Attributes {
  const { operation, endpoint, installationId, collection } = message;
  return {
    ...(call === "sync.rpc" && { "rpc.system.name": "grpc", "rpc.method": `${SERVICE}/${operation}` }),
    ...(call === "graphql.operation" && { "graphql.operation.name": operation }),
    ...(call.startsWith("sync.") && {
      "saas_management.installation.id": installationId,
      "saas_management.collection": collection,
    }),
    ...(isRequest(call) && endpoint !== undefined && serverOf(endpoint)),
  };
}

/** Span attributes with too many different values for metrics. */
export function spanAttributes({ attempt, batchId }: ChannelMessage): Attributes {
  return {
    "saas_management.batch.id": batchId,
    "saas_management.run.attempt": attempt,
  };
}

/** Describes how a call ended, by names only, because error messages contain record ids. */
export function endAttributes(call: TracedCall, message: ChannelMessage): Attributes {
  const failed = "error" in message;
  const status = call === "sync.rpc" ? (failed ? grpcStatus(message.error) : "OK") : undefined;
  return {
    "rpc.status_code": status,
    "error.type": failed ? (status ?? errorType(message.error)) : undefined,
  };
}

/** The outcome of a batch, a walk or a run. */
export function figuresOf(call: TracedCall, { result }: ChannelMessage): Attributes {
  const figures: { readonly state?: string; readonly pages?: number; readonly nodes?: number } = result ?? {};
  const { state, pages, nodes } = figures;
  if (call === "sync.batch") return { "saas_management.batch.state": state };
  if (call === "graphql.walk")
    return { "saas_management.walk.pages": pages, "saas_management.walk.nodes": nodes };
  if (call !== "sync.run" || result === undefined) return {};
  return {
    "saas_management.run.records": receiptFigures(result).reduce((sum, { records }) => sum + records, 0),
  };
}

/** Number of records that a run sent and removed, per collection. */
export function receiptFigures(receipt: object | undefined) {
  const collections: unknown = receipt && Reflect.get(receipt, "collections");
  return Object.entries(isObject(collections) ? collections : {}).map(
    ([collection, figures]: [string, unknown]) => {
      const [stats, expected]: unknown[] = isObject(figures)
        ? [Reflect.get(figures, "stats"), Reflect.get(figures, "expected")]
        : [];
      const records = numberIn(stats, "accepted") + numberIn(stats, "alreadyAccepted");
      return { collection, records, removed: numberIn(expected, "removed") };
    },
  );
}

export function numberIn(value: unknown, field: string): number {
  const number: unknown = isObject(value) ? Reflect.get(value, field) : undefined;
  return typeof number === "number" ? number : 0;
}

export function isRequest(call: TracedCall): boolean {
  return call === "sync.rpc" || call === "graphql.operation";
}

/** The code of an SDK error, or the class name of any other error. */
function errorType(error: unknown): string {
  if (error instanceof SaasManagementError) return error.code;
  const name: unknown = error instanceof Error ? error.constructor.name : undefined;
  return typeof name === "string" && /^[A-Za-z_$]\w{0,63}$/.test(name) ? name : "_OTHER";
}

function grpcStatus(error: unknown): string | undefined {
  if (!(error instanceof SaasManagementError)) return "CANCELLED";
  return ("grpcStatus" in error ? error.grpcStatus : undefined) ?? STATUSES[error.code];
}

function serverOf(endpoint: string): Attributes {
  const { hostname, port, protocol } = new URL(endpoint);
  const usual = protocol === "https:" ? 443 : 80;
  return { "server.address": hostname, "server.port": port === "" ? usual : Number(port) };
}
