import { inspect } from "node:util";
import { isObject } from "../../../core/validate.js";
import type { RunResult } from "../run/run.js";

const DEPTH = 5;

/** Says where credentials of the vendor came out: in errors, output or records. */
export function leaksOf(result: RunResult): readonly string[] {
  const { credentials, error, unhandled, output, effect } = result;
  if (credentials.length === 0) return [];
  const errors = [error, ...unhandled];
  const path = errors.map((one) => pathTo(one, credentials, "error", DEPTH)).find((one) => one !== undefined);
  const places = [
    [path ?? "the error", errors.map(textOf).join("\n")],
    ["what the run printed or logged", output.join("\n")],
    ...Object.entries(effect.snapshots).map(
      ([collection, rows]) => [`records of ${collection}`, JSON.stringify(rows)] as const,
    ),
  ] as const;
  return places
    .filter(([, text]) => credentials.some((credential) => text.includes(credential)))
    .map(([place]) => `a credential is in ${place}`);
}

/** The first property of an error that holds a credential, such as `error.config.headers.Authorization`. */
function pathTo(
  value: unknown,
  credentials: readonly string[],
  path: string,
  depth: number,
): string | undefined {
  if (typeof value === "string")
    return credentials.some((credential) => value.includes(credential)) ? path : undefined;
  if (!isObject(value) || depth === 0) return undefined;
  for (const name of Object.getOwnPropertyNames(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name);
    const found = pathTo(property?.value, credentials, `${path}.${name}`, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What any logger might show of an error. */
function textOf(error: unknown): string {
  if (error === undefined) return "";
  const shown = inspect(error, { depth: 9, showHidden: true, maxArrayLength: null, maxStringLength: null });
  return `${String(error)}\n${shown}\n${jsonOf(error)}`;
}

function jsonOf(error: unknown): string {
  try {
    return JSON.stringify(error) ?? "";
  } catch {
    return "";
  }
}
