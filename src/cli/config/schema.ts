import { z } from "zod";
import { isPlainObject, type KeysOf } from "../../core/validate.js";
import { COLLECTIONS, type Collection } from "../../sync/collections.js";
import type { CliConfig } from "./cli-config.js";

const text = z.string().min(1).optional();

const pushed = z.strictObject({
  file: z
    .union([z.string().min(1), z.array(z.string().min(1))], { error: "expected a file or files" })
    .optional(),
  fields: z.record(z.string(), z.string().min(1)).optional(),
  delimiter: z.string().length(1).optional(),
  encoding: z.enum(["utf-8", "utf-16le", "windows-1252"]).optional(),
});

const collections: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.keys(COLLECTIONS).map((name) => [name, pushed.optional()]),
);

/** Options that the client checks itself. */
const ofClient = z.unknown().optional();

const shape = {
  baseUrl: text,
  syncUrl: text,
  credentialCommand: text,
  ledger: text,
  push: z.strictObject(collections).optional(),
  sync: z.looseObject({ installationId: text }).optional(),
  apiKey: z
    .custom((value) => value === undefined || typeof value === "function", {
      error:
        "expected a function: a key does not belong into a configuration file. Use the environment, a profile, --api-key-file or credentialCommand",
    })
    .optional(),
  authorization: ofClient,
  timeoutMs: ofClient,
  retry: ofClient,
  headers: ofClient,
  maxResponseBytes: ofClient,
  fetch: ofClient,
  credentials: ofClient,
  logger: ofClient,
  onEvent: ofClient,
  appInfo: ofClient,
  clock: ofClient,
  tls: ofClient,
  proxy: ofClient,
  transport: ofClient,
} satisfies Record<keyof KeysOf<CliConfig>, z.ZodType>;

const schema = z.strictObject(shape);

/** Returns what is wrong with a configuration, each with its place; empty if it is valid. */
export function configProblems(value: unknown): readonly string[] {
  if (!isPlainObject(value)) return ["it must be an object"];
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) =>
    path.length === 0 ? message : `${placeOf(path)}: ${message}`,
  );
}

/** For callers that have found no problems. */
export function isConfig(value: unknown): value is CliConfig {
  return configProblems(value).length === 0;
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => {
      const name = String(key);
      if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `[${JSON.stringify(name)}]`;
      return i === 0 ? name : `.${name}`;
    })
    .join("");
}

export type PushedFile = NonNullable<NonNullable<CliConfig["push"]>[Collection]>;
