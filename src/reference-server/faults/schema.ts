import { validateHeaderName, validateHeaderValue } from "node:http";
import { Metadata, status } from "@grpc/grpc-js";
import { z } from "zod";
import { plainData, strictObject } from "../validate.js";
import { type Fault, type FaultSchedule, SYNC_OPERATIONS, type SyncFault } from "./fault.js";

/** A message of gRPC may have 2 GiB: this leaves room for what surrounds the padding. */
const MAX_ANSWER_BYTES = 1024 ** 3;

/** The last error code of HTTP/2 (RFC 9113, section 7). */
const LAST_HTTP2_ERROR = 13;

const MAX_PIECES = 1000;

/** A century: every date within it can be written. */
const MAX_SECONDS = 100 * 366 * 24 * 60 * 60;

const at = z.enum(["request", "answer"]).exactOptional();
const httpStatus = z.int().min(200).max(599);
const duration = z.number().min(0);
const count = z.int().min(1);

const headers = z.record(z.string(), z.string()).refine(isSendable(setHeader), {
  error: "A header name or value cannot be sent",
});

const trailers = z.record(z.string(), z.string()).refine(isSendable(setTrailer), {
  error: "A metadata key or value cannot be sent",
});

function setHeader(name: string, value: string): void {
  validateHeaderName(name);
  validateHeaderValue(name, value);
}

function setTrailer(name: string, value: string): void {
  new Metadata().set(name, value);
}

function isSendable(set: (name: string, value: string) => void) {
  return (fields: Readonly<Record<string, string>>): boolean => {
    try {
      for (const [name, value] of Object.entries(fields)) set(name, value);
      return true;
    } catch {
      return false;
    }
  };
}

const retryAfter = strictObject({
  seconds: z.int().min(-MAX_SECONDS).max(MAX_SECONDS),
  as: z.enum(["seconds", "date"]).exactOptional(),
}).refine(({ seconds, as }) => as === "date" || seconds >= 0, {
  error: "Must not be negative, except as a date",
  path: ["seconds"],
});

const injectedErrors = z.array(
  strictObject({
    message: z.string(),
    code: z.string().exactOptional(),
    path: z.array(z.union([z.string(), z.number()])).exactOptional(),
  }),
);

const kind = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  strictObject({ type: z.literal(type), ...shape });

const deliveries = [
  kind("slow-body", { ms: duration, pieces: z.int().min(1).max(MAX_PIECES).exactOptional() }),
  kind("truncated-body", { ending: z.enum(["end", "close", "reset"]).exactOptional() }),
  kind("endless-body", {}),
] as const;

const shared = [
  kind("delay", { ms: duration, at }),
  kind("stall", { at }),
  kind("drop", { at }),
  kind("reset", { at }),
  kind("revoke-key", { at }),
] as const;

const syncKinds = [
  ...shared,
  kind("rst-stream", { code: z.int().min(0).max(LAST_HTTP2_ERROR).exactOptional(), at }),
  kind("goaway", { grace: z.boolean().exactOptional(), at }),
  kind("grpc-status", {
    code: z.int().min(status.CANCELLED).max(status.UNAUTHENTICATED),
    details: z.string().exactOptional(),
    trailers: trailers.exactOptional(),
    at,
  }),
  kind("early-answer", { at }),
  kind("oversized-answer", { bytes: z.int().min(1).max(MAX_ANSWER_BYTES).exactOptional() }),
  kind("lease-expiry", { at }),
  kind("lock-stolen", { at }),
] as const;

const graphQLKinds = [
  ...shared,
  kind("http", {
    status: httpStatus,
    headers: headers.exactOptional(),
    retryAfter: retryAfter.exactOptional(),
    body: z.string().exactOptional(),
    delivery: z.discriminatedUnion("type", deliveries).exactOptional(),
    at,
  }),
  kind("html", { status: httpStatus.exactOptional() }),
  kind("graphql-errors", {
    errors: injectedErrors.exactOptional(),
    data: z.enum(["none", "partial"]).exactOptional(),
  }),
  ...deliveries,
  kind("page-info", { cursor: z.enum(["repeated", "missing"]) }),
] as const;

const target = {
  nth: count.exactOptional(),
  times: count.exactOptional(),
  atLeast: z.int().min(0).exactOptional(),
};

const anyFault = z
  .discriminatedUnion("api", [
    strictObject({
      api: z.literal("sync"),
      operation: z.enum(SYNC_OPERATIONS).exactOptional(),
      message: count.exactOptional(),
      ...target,
      kind: z.discriminatedUnion("type", syncKinds),
    }).superRefine(checkMessage),
    strictObject({
      api: z.literal("graphql"),
      operation: z.string().exactOptional(),
      ...target,
      kind: z.discriminatedUnion("type", graphQLKinds),
    }),
  ])
  .refine(({ atLeast = 0, times = 1 }) => atLeast <= times, {
    error: "Must not be greater than `times`",
    path: ["atLeast"],
  });

function checkMessage({ operation, message, kind }: SyncFault, context: z.RefinementCtx): void {
  const report = (text: string): void =>
    context.addIssue({ code: "custom", path: ["message"], message: text });
  if (message === undefined) {
    if (kind.type === "early-answer") report('A fault of kind "early-answer" needs a message number');
  } else if (operation !== "SyncRecords") {
    report('Only the operation "SyncRecords" has numbered messages');
  } else if (kind.type === "oversized-answer") {
    report('A fault of kind "oversized-answer" strikes the call as a whole');
  }
}

export const faultSchema: z.ZodType<Fault> = plainData(anyFault);

export const scheduleSchema: z.ZodType<FaultSchedule> = plainData(
  strictObject({ seed: z.int().exactOptional(), faults: z.array(anyFault) }),
);
