import type { GraphQLFault, GraphQLFaultKind } from "@saas-management/sdk/testing";
import type fc from "fast-check";
import type { FaultKind, RetryAfter, ScheduledFault } from "../faults.js";
import type { Program, Step } from "../program.js";
import { program } from "../program-arbitrary.js";

/** A program for the reference server, with its faults. */
export interface SocketProgram extends Program {
  readonly serverFaults: readonly GraphQLFault[];
}

/** Longer than the timeout of every call. */
const PAST_EVERY_DEADLINE_MS = 200_000;

/** The programs of the model, reduced to what the reference server supports. */
export const socketProgram: fc.Arbitrary<SocketProgram> = program.map((drawn) => ({
  ...drawn,
  callers: drawn.callers.map((steps) => steps.map(known)),
  changes: [],
  key: { form: "text" },
  faults: [],
  serverFaults: drawn.faults.flatMap(faultOf),
}));

function known(step: Step): Step {
  const start = undefined;
  const connection = "applications";
  if (step.do === "walk") return { do: "walk", walk: { ...step.walk, connection, start } };
  if (step.do === "page" || step.do === "count")
    return { ...step, range: { ...step.range, connection, start } };
  if (step.do === "query") {
    const range = { connection, direction: "forward", pageSize: 2, limit: undefined, start } as const;
    return { do: "count", range, limits: step.limits };
  }
  return step.do === "mutation" && step.mutation !== "vendors" ? { ...step, mutation: "create" } : step;
}

function faultOf({ asked, nth, times, kind }: ScheduledFault): GraphQLFault[] {
  const struck = serverKind(kind);
  const operation = asked === "mutation" ? "CreateProcurementCase" : "Applications";
  return struck === undefined ? [] : [{ api: "graphql", operation, nth, times, atLeast: 0, kind: struck }];
}

/** The server's nearest fault, if there is one. */
function serverKind(kind: FaultKind): GraphQLFaultKind | undefined {
  const at = "at" in kind && kind.at === "after" ? "answer" : "request";
  switch (kind.type) {
    case "lost":
      return { type: kind.code === "ECONNRESET" ? "reset" : "drop", at };
    case "status": {
      const { status, body, retryAfter } = kind;
      if (body !== "json") return { type: "html", status };
      const headers = { "content-type": "application/json" };
      return { type: "http", status, at, headers, body: '{"errors":[]}', ...hint(retryAfter) };
    }
    case "content":
      return { type: "html" };
    case "cut":
      return { type: "truncated-body", ending: "close" };
    case "garbage":
      return { type: "truncated-body", ending: "end" };
    case "errors": {
      const code = kind.code === undefined ? {} : { code: kind.code };
      const data = kind.data === "whole" ? "partial" : "none";
      return { type: "graphql-errors", errors: [{ message: "no", ...code }], data };
    }
    case "oversized":
      return { type: "endless-body" };
    case "delayed":
      return { type: "delay", ms: kind.ms, at };
    case "stalled":
      if (kind.at === "body") return { type: "slow-body", ms: PAST_EVERY_DEADLINE_MS };
      return { type: "delay", ms: PAST_EVERY_DEADLINE_MS, at };
    case "redirect":
      return { type: "http", status: 302, headers: { location: "/elsewhere" } };
    case "cursor":
      return { type: "page-info", cursor: kind.what === "null" ? "missing" : "repeated" };
    case "page":
    case "payload":
    case "revoked":
      return undefined;
  }
}

function hint(retryAfter: RetryAfter | undefined) {
  if (retryAfter === undefined || retryAfter.form === "nonsense") return {};
  return { retryAfter: { seconds: retryAfter.seconds, as: retryAfter.form } };
}
