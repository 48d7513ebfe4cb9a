import { z } from "zod";
import type { Fault } from "../../../reference-server/faults/fault.js";
import { faultShape, isFault } from "../../../reference-server/faults/schema.js";
import type { ReferenceServer } from "../../../reference-server/server.js";
import { strictObject } from "../../../reference-server/validate.js";

/** What the control API works on. */
export interface Controlled {
  readonly server: ReferenceServer;
  /** Forgets everything, and loads the demo company again if the server was started with it. */
  readonly reset: () => Promise<void>;
  /** Faults that were added here, with how often they have struck. */
  readonly faults: { readonly fault: Fault; readonly handle: { readonly fired: number } }[];
}

/** One operation of the control API. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly summary: string;
  /** The JSON body, or for GET the query. */
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly run: (input: unknown, controlled: Controlled) => unknown;
}

const none = strictObject({});
const id = z.string().min(1).max(200);
const now = z.strictObject({ now: z.iso.datetime() });

/** The longest jump of the clock: ten years in milliseconds. */
const MAX_ADVANCE_MS = 10 * 365 * 24 * 60 * 60 * 1000;

export const ROUTES: readonly Route[] = [
  route({
    method: "GET",
    path: "/inspect",
    summary: "What an installation holds: records with removed marks, lock and batches",
    input: strictObject({ installationId: id.optional() }),
    output: z.looseObject({
      snapshots: z.record(z.string(), z.array(z.unknown())),
      lock: z.nullable(z.strictObject({ batchId: z.string(), expiresAt: z.iso.datetime() })),
      batches: z.array(z.strictObject({ id: z.string(), state: z.string() })),
    }),
    run: ({ installationId }, { server }) => server.inspect(installationId),
  }),
  route({
    method: "POST",
    path: "/installations",
    summary: "Create a direct integration installation",
    input: strictObject({ integration: z.string().min(1).optional() }),
    output: z.strictObject({ installationId: z.string() }),
    run: (input, { server }) => ({ installationId: server.createInstallation(input) }),
  }),
  route({
    method: "POST",
    path: "/keys",
    summary: "Create an API key; by default with full access",
    input: strictObject({
      scope: z.enum(["read", "read-write"]).optional(),
      permissions: z.array(z.literal("integration:sync")).optional(),
    }),
    output: z.strictObject({ apiKey: z.string() }),
    run: (input, { server }) => ({ apiKey: server.createApiKey(input) }),
  }),
  route({
    method: "POST",
    path: "/keys/revoke",
    summary: "Revoke an API key",
    input: strictObject({ apiKey: z.string().min(1) }),
    run: ({ apiKey }, { server }) => server.revokeApiKey(apiKey),
  }),
  route({
    method: "GET",
    path: "/clock",
    summary: "The time of the server",
    input: none,
    output: now,
    run: (_, { server }) => timeOf(server),
  }),
  route({
    method: "POST",
    path: "/clock/advance",
    summary: "Advance the clock: leases expire and delays end",
    input: strictObject({ ms: z.int().min(0).max(MAX_ADVANCE_MS) }),
    output: now,
    run: ({ ms }, { server }) => {
      server.clock.advance(ms);
      return timeOf(server);
    },
  }),
  route({
    method: "GET",
    path: "/faults",
    summary: "The faults that were added, and how often each has struck",
    input: none,
    output: z.array(z.strictObject({ fault: faultShape, fired: z.int() })),
    run: (_, { faults }) => faults.map(({ fault, handle }) => ({ fault, fired: handle.fired })),
  }),
  route({
    method: "POST",
    path: "/faults",
    summary: "Add a fault",
    input: faultShape,
    run: (fault, { server, faults }) => {
      if (isFault(fault)) faults.push({ fault, handle: server.faults.add(fault) });
    },
  }),
  route({
    method: "DELETE",
    path: "/faults",
    summary: "Remove all faults",
    input: none,
    run: (_, { server, faults }) => {
      server.faults.clear();
      faults.length = 0;
    },
  }),
  route({
    method: "POST",
    path: "/reset",
    summary: "Forget all data, keys, installations and faults; ports, first key and first installation stay",
    input: none,
    run: async (_, { reset, faults }) => {
      faults.length = 0;
      await reset();
    },
  }),
];

/** Parses the input. Its type is known to `run` only. */
function route<Input>(
  given: Omit<Route, "input" | "output" | "run"> & {
    readonly input: z.ZodType<Input>;
    readonly output?: z.ZodType;
    readonly run: (input: Input, controlled: Controlled) => unknown;
  },
): Route {
  const run = (input: unknown, controlled: Controlled) => given.run(given.input.parse(input), controlled);
  return { output: z.null(), ...given, run };
}

function timeOf({ clock }: ReferenceServer): { readonly now: string } {
  return { now: new Date(clock.now()).toISOString() };
}
