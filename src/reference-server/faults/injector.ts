import { validateHeaderName, validateHeaderValue } from "node:http";
import { Metadata, status } from "@grpc/grpc-js";
import { z } from "zod";
import { suggestKey } from "../../core/validate.js";
import { parse, plainData, strictObject } from "../validate.js";
import { type Fault, type Faults, SYNC_OPERATIONS } from "./fault.js";

export interface DueFault {
  readonly fault: CheckedFault;
  /**
   * Counts one firing. Call this only when the fault fires, because another fault may end the call first.
   * @returns false if other calls have used up the fault's firings in the meantime
   */
  fires(): boolean;
}

interface Entry {
  readonly fault: CheckedFault;
  readonly text: string;
  calls: number;
  fired: number;
}

/** Decides which of a server's faults are due on a call. */
export class FaultInjector implements Faults {
  #entries: Entry[] = [];

  add(fault: Fault): { readonly fired: number } {
    const checked = parse("fault", faultSchema, fault);
    const entry = { fault: checked, text: JSON.stringify(fault), calls: 0, fired: 0 };
    this.#entries.push(entry);
    return {
      get fired() {
        return entry.fired;
      },
    };
  }

  assertFired(): void {
    const missed = this.#entries.filter(({ fired }) => fired === 0);
    if (missed.length === 0) return;
    throw new Error(`These faults never fired:\n${missed.map(({ text }) => `  ${text}`).join("\n")}`);
  }

  clear(): void {
    this.#entries = [];
  }

  /**
   * Counts a call or one of its messages, and returns the faults that are due.
   * @param message number of the message in its stream, from 1; undefined for the whole call
   */
  take(api: "sync" | "graphql", operation: string | undefined, message?: number): DueFault[] {
    return this.#entries.flatMap((entry) => {
      const { fault } = entry;
      const { on, nth, times } = fault;
      if (fault.message !== message || (fault.api !== "*" && fault.api !== api)) return [];
      if (on !== "*" && on !== api && on !== operation) return [];
      entry.calls++;
      const mayFire = (): boolean => entry.fired < times;
      if (entry.calls < nth || !mayFire()) return [];
      const fires = (): boolean => {
        if (!mayFire()) return false;
        entry.fired++;
        return true;
      };
      return [{ fault, fires }];
    });
  }
}

type Api = "sync" | "graphql" | "*";

const at = z.enum(["request", "answer"]).default("request");
const late = z.literal("answer").default("answer");
const ms = z.number().min(0);
const count = z.int().min(1);

const statusName = z.custom<Extract<Fault, { fault: "status" }>["status"]>(
  (name) => typeof name === "string" && /^[A-Z_]+$/.test(name) && name !== "OK" && name in status,
  { error: 'Expected a gRPC status such as "UNAVAILABLE"' },
);

const headers = sendable("A header name or value cannot be sent", (name, value) => {
  validateHeaderName(name);
  validateHeaderValue(name, value);
});
const trailers = sendable("A metadata key or value cannot be sent", (name, value) =>
  new Metadata().set(name, value),
);

function sendable(error: string, check: (name: string, value: string) => void) {
  return z
    .record(z.string(), z.string())
    .refine(
      (fields) => {
        try {
          for (const [name, value] of Object.entries(fields)) check(name, value);
          return true;
        } catch {
          return false;
        }
      },
      { error },
    )
    .default({});
}

const graphQLErrors = z.array(
  strictObject({
    message: z.string(),
    path: z.array(z.union([z.string(), z.number()])).exactOptional(),
    extensions: z.record(z.string(), z.unknown()).exactOptional(),
  }),
);

const apis = new Map<string, Api>();

function kind<Kind extends Fault["fault"], Shape extends z.ZodRawShape>(api: Api, fault: Kind, shape: Shape) {
  apis.set(fault, api);
  return strictObject({
    on: z.string().min(1),
    fault: z.literal(fault),
    nth: count.default(1),
    times: count.default(1),
    message: count.exactOptional(),
    ...shape,
  });
}

/** Every kind of fault: its API, its fields and their defaults. */
const KINDS = [
  kind("*", "delay", { ms, at }),
  kind("*", "stall", { at }),
  kind("*", "drop", { at }),
  kind("*", "reset", { at }),
  kind("*", "revoke-key", { at }),
  kind("sync", "status", {
    status: statusName,
    details: z.string().default("Injected fault."),
    trailers,
    at,
  }),
  kind("sync", "rst-stream", { code: z.int().min(0).max(13).default(2), at }),
  kind("sync", "goaway", { grace: z.boolean().default(true), at }),
  kind("sync", "lease-expiry", { at }),
  kind("sync", "lock-stolen", { at }),
  kind("sync", "early-answer", { message: count, at }),
  kind("sync", "oversized-answer", { at: late }),
  kind("graphql", "http", {
    status: z.int().min(200).max(599),
    headers,
    body: z.string().exactOptional(),
    at,
  }),
  kind("graphql", "graphql-errors", {
    errors: graphQLErrors.default([{ message: "Injected fault." }]),
    data: z.enum(["none", "partial"]).default("none"),
    at: late,
  }),
  kind("graphql", "slow-body", { ms, pieces: count.max(1000).default(2), at: late }),
  kind("graphql", "truncated-body", { ending: z.enum(["end", "close", "reset"]).default("end"), at: late }),
  kind("graphql", "endless-body", { at: late }),
  kind("graphql", "page-info", { cursor: z.enum(["repeated", "missing"]), at: late }),
] as const;

const faultShape = z.discriminatedUnion("fault", KINDS, {
  error: ({ input }) => {
    const known = [...apis.keys()];
    const given = typeof input === "object" && input !== null ? Reflect.get(input, "fault") : undefined;
    return `Unknown kind of fault.${suggestKey(String(given), known)} Known kinds: ${known.join(", ")}`;
  },
});

const anyFault = faultShape
  .superRefine((fault, context) => {
    const problem = problemOf(fault);
    if (problem !== undefined)
      context.addIssue({ code: "custom", path: [problem.field], message: problem.text });
  })
  .transform((fault) => ({ ...fault, api: apiOf(fault) }));

/** A fault with its defaults and the API that it applies to. */
export type CheckedFault = z.output<typeof anyFault>;

const faultSchema: z.ZodType<CheckedFault> = plainData(anyFault);

function problemOf({ on, fault, message }: Pick<Fault, "on" | "fault" | "message">) {
  const [wanted, named] = [apis.get(fault), apiNamed(on)];
  const meant = suggestKey(on, WILDCARDS_AND_OPERATIONS);
  if (meant !== "" && !WILDCARDS_AND_OPERATIONS.includes(on))
    return { field: "on", text: `Unknown operation.${meant}` };
  if (wanted !== "*" && named !== "*" && wanted !== named) {
    const text =
      wanted === "sync"
        ? `"${fault}" applies to the Sync API only: ${SYNC_OPERATIONS.join(", ")} or sync`
        : `"${fault}" applies to the GraphQL API only: the name of one of its operations, or graphql`;
    return { field: "on", text };
  }
  if (message !== undefined && (on !== "SyncRecords" || fault === "oversized-answer"))
    return { field: "message", text: 'Only faults within streams, with on: "SyncRecords", have a message' };
  return undefined;
}

const WILDCARDS_AND_OPERATIONS: readonly string[] = ["*", "sync", "graphql", ...SYNC_OPERATIONS];

function apiNamed(on: string): Api {
  if (on === "*") return "*";
  return on !== "graphql" && WILDCARDS_AND_OPERATIONS.includes(on) ? "sync" : "graphql";
}

function apiOf({ on, fault }: Pick<Fault, "on" | "fault">): Api {
  return on === "*" ? (apis.get(fault) ?? "*") : apiNamed(on);
}
