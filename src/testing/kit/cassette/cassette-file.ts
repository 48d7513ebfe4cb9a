import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ConfigurationError } from "../../../core/errors/index.js";
import { errorCode } from "../../../core/network-errors.js";
import { describeType } from "../../../core/validate.js";
import { placeOf, strictObject } from "../../../reference-server/validate.js";
import type { Cassette, RecordedRun } from "./cassette.js";

const headers = z.record(z.string().regex(/^[^A-Z]+$/, "Expected a name in lower case"), z.string());
const body = z.union([
  strictObject({ json: z.json() }),
  strictObject({ text: z.string() }),
  strictObject({ base64: z.base64() }),
]);
const exchange = strictObject({
  request: strictObject({
    method: z.string().min(1),
    url: z.url({ protocol: /^https?$/, error: "Expected an absolute http or https address" }),
    headers,
    body: body.optional(),
  }),
  response: strictObject({ status: z.int().min(200).max(599), headers, body }),
});
const schema = strictObject({
  version: z.literal(2, "This version of the SDK reads cassettes of version 2: record this one again"),
  salt: z.string(),
  kept: z.array(z.string()),
  runs: z
    .array(
      strictObject({
        startedAt: z.iso.datetime(),
        exchanges: z.array(exchange).min(1, "A run has at least one exchange"),
      }),
    )
    .min(1, "A cassette has at least one run")
    .max(2, "A cassette has at most two runs"),
});

/**
 * Reads the runs of a cassette.
 * @throws {ConfigurationError} the cassette doesn't exist, or it's damaged; the message says where
 */
export async function readRuns(file: string | URL): Promise<readonly RecordedRun[]> {
  const { salt, kept, runs } = await readCassette(file);
  return runs.map((run) => ({ ...run, salt, kept }));
}

async function readCassette(file: string | URL): Promise<Cassette> {
  const path = pathOf(file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const message =
      errorCode(error) === "ENOENT"
        ? `There is no cassette ${path}. Record one against the vendor: await recordVendor(connector, { to: … }).`
        : `The cassette ${path} cannot be read.`;
    throw new ConfigurationError(message, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(`The cassette ${path} is not JSON${lineOf(error, text)}.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = placeOf("", issue?.path ?? []).replace(/^[.]/, "");
  throw new ConfigurationError(
    `The cassette ${path} is damaged at ${place === "" ? "the top" : place}: ${issue?.message}.`,
  );
}

/** Writes a whole cassette or nothing. */
export async function writeCassette(file: string | URL, cassette: Cassette): Promise<void> {
  const path = pathOf(file);
  const draft = `${path}.${randomUUID()}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, `${JSON.stringify(cassette, undefined, 2)}\n`);
  await rename(draft, path);
}

/** @throws {ConfigurationError} the value is neither a path nor a file URL */
export function pathOf(file: unknown): string {
  if (typeof file === "string" && file !== "") return file;
  if (file instanceof URL && file.protocol === "file:") return fileURLToPath(file);
  throw new ConfigurationError(`A cassette must be a path or a file URL, got ${describeType(file)}.`);
}

/** Finds the line that the parser's message names. The rest of that message quotes the file. */
function lineOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(String(error))?.[1];
  return position === undefined ? "" : ` (line ${text.slice(0, Number(position)).split("\n").length})`;
}
