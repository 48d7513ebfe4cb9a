import { ConfigurationError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import type { Store } from "../ledger/store.js";
import type { RunKeys } from "./keys.js";
import { putJson, readJson } from "./values.js";

/** What becomes of a run. It is decided once. */
export type Fate = { readonly fate: "commit"; readonly digest: string } | { readonly fate: "discard" };

/** Returns the run's fate, if it is decided. @throws {ConfigurationError} it is damaged */
export async function readFate(store: Store, { fate: key }: RunKeys): Promise<Fate | undefined> {
  const value = await readJson(store, key);
  if (value === undefined) return undefined;
  const { fate, digest }: Partial<Record<"fate" | "digest", unknown>> = isObject(value) ? value : {};
  if (fate === "discard") return { fate };
  if (fate === "commit" && typeof digest === "string") return { fate, digest };
  throw new ConfigurationError(`${key} of the staging is damaged: it does not tell the fate of the run.`);
}

/** Decides the run's fate, unless that is decided. Returns the fate. */
export async function decideFate(store: Store, keys: RunKeys, fate: Fate): Promise<Fate> {
  await putJson(store, keys.fate, fate);
  // What was put may be the fate even if the answer was lost, or another one may have been first.
  return (await readFate(store, keys)) ?? fate;
}
