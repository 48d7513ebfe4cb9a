import type { Fault } from "@saas-management/sdk/testing";
import type fc from "fast-check";
import { faultOn, type FaultKind as ServerFault } from "../../../support/faults.js";
import type { FaultKind, ScheduledFault } from "../faults.js";
import type { Program, Step } from "../program.js";
import { program } from "../program-arbitrary.js";
import { retryAfterHeader } from "../verdict.js";

/** A program for the reference server, with its faults. */
export interface SocketProgram extends Program {
  readonly serverFaults: readonly Fault[];
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

function faultOf({ asked, nth, times, kind }: ScheduledFault): Fault[] {
  const struck = serverKind(kind);
  const operation = asked === "mutation" ? "CreateProcurementCase" : "Applications";
  return struck === undefined ? [] : [faultOn({ on: operation, nth, times }, struck)];
}

/** The server's nearest fault, if there is one. */
function serverKind(kind: FaultKind): ServerFault | undefined {
  const at = "at" in kind && kind.at === "after" ? "answer" : "request";
  switch (kind.type) {
    case "lost":
      return { fault: kind.code === "ECONNRESET" ? "reset" : "drop", at };
    case "status": {
      const { status, body, retryAfter } = kind;
      if (body !== "json") return { fault: "http", status };
      const hint = retryAfter?.form === "nonsense" ? {} : retryAfterHeader(retryAfter, Date.UTC(2026, 0, 1));
      const headers = { "content-type": "application/json", ...hint };
      return { fault: "http", status, at, headers, body: '{"errors":[]}' };
    }
    case "content":
      return { fault: "http", status: 200 };
    case "cut":
      return { fault: "truncated-body", ending: "close" };
    case "garbage":
      return { fault: "truncated-body", ending: "end" };
    case "errors": {
      const code = kind.code === undefined ? {} : { extensions: { code: kind.code } };
      const data = kind.data === "whole" ? "partial" : "none";
      return { fault: "graphql-errors", errors: [{ message: "no", ...code }], data };
    }
    case "oversized":
      return { fault: "endless-body" };
    case "delayed":
      return { fault: "delay", ms: kind.ms, at };
    case "stalled":
      if (kind.at === "body") return { fault: "slow-body", ms: PAST_EVERY_DEADLINE_MS };
      return { fault: "delay", ms: PAST_EVERY_DEADLINE_MS, at };
    case "redirect":
      return { fault: "http", status: 302, headers: { location: "/elsewhere" } };
    case "cursor":
      return { fault: "page-info", cursor: kind.what === "null" ? "missing" : "repeated" };
    case "page":
    case "payload":
    case "revoked":
      return undefined;
  }
}
