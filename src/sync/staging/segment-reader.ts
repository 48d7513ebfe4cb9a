/**
 * The value of a segment:
 *
 *     {"format":"saas-management-segment","version":1,"id":…,"collection":…,"partition":…,"token":…,"contract":…}\n
 *     [length, 4 bytes][records]  …for each message
 *     [0, 4 bytes]
 *     {"records":…,"bytes":…,"sha256":…,"readFrom":…,"readUntil":…}\n
 *
 * Records are what a message has behind its header, so a commit puts another header before them. The hash is that of the
 * first line and of the hash of each message's records.
 */
import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import type { Collection } from "../collections.js";
import { EncodedRecords } from "../encoding/encoded-records.js";
import { ByteReader } from "./byte-reader.js";
import { SegmentHash } from "./segment-hash.js";

export const FORMAT = "saas-management-segment";
export const VERSION = 1;
export const LENGTH_BYTES = 4;
const MAX_LINE_BYTES = 64 * 1024;
/** A message is smaller than that. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Whose records a segment has. */
export interface SegmentHeader {
  /** Id of the plan. */
  readonly id: string;
  readonly collection: Collection;
  readonly partition: string;
  /** Tells extractions of one partition apart. */
  readonly token: string;
  readonly contract: string;
}

/** What a segment contains. */
export interface SegmentSummary {
  readonly records: number;
  /** Bytes of the records. */
  readonly bytes: number;
  readonly sha256: string;
  /** When the extraction began and ended, in milliseconds since the epoch. */
  readonly readFrom: number;
  readonly readUntil: number;
}

/** What was extracted is damaged or gone, so the run can never be committed. */
export class UnusableSegmentError extends ConfigurationError {}

/** Which segment is read. */
export interface SegmentPlace extends Omit<SegmentHeader, "token"> {
  /** What it is called in messages. */
  readonly name: string;
}

type Value = AsyncIterable<Uint8Array>;

/**
 * Yields the records of each message, until the next is asked for, and returns what the segment contains when all of it was
 * verified.
 * @throws {ConfigurationError} it is missing, damaged, or another one
 */
export async function* readSegment(
  value: Value | undefined,
  place: SegmentPlace,
): AsyncGenerator<EncodedRecords, SegmentSummary, undefined> {
  if (value === undefined) throw unusable(place, "it is missing");
  const reader = new ByteReader(value);
  try {
    const head = await reader.line(MAX_LINE_BYTES);
    requireHeader(head, place);
    const hash = new SegmentHash(head ?? new Uint8Array());
    for (;;) {
      const start = await reader.block(LENGTH_BYTES);
      if (start === undefined) throw unusable(place, "its end is missing");
      const length = start.readUInt32BE();
      if (length === 0) break;
      const frame = length > MAX_FRAME_BYTES ? undefined : await reader.block(length);
      if (frame === undefined) throw unusable(place, "it is damaged");
      await hash.add(frame);
      yield new EncodedRecords(frame, place.name);
    }
    const summary = summaryOf(parseLine(await reader.line(MAX_LINE_BYTES)));
    if (summary?.sha256 !== (await hash.digest())) throw unusable(place, "it is damaged");
    if (!(await reader.isAtEnd())) throw unusable(place, "data follows its end");
    return summary;
  } catch (error) {
    if (error instanceof SaasManagementError) throw error;
    throw unusable(place, "it cannot be read", error);
  } finally {
    await reader.close();
  }
}

/** Returns the token of a segment's extraction; undefined if there is no segment, or it is damaged. */
export async function readToken(value: Value | undefined): Promise<string | undefined> {
  if (value === undefined) return undefined;
  const reader = new ByteReader(value);
  try {
    const { token } = parseLine(await reader.line(MAX_LINE_BYTES));
    return typeof token === "string" ? token : undefined;
  } finally {
    await reader.close();
  }
}

/** Returns the value if it is a summary. */
export function summaryOf(value: unknown): SegmentSummary | undefined {
  const summary: Partial<Record<keyof SegmentSummary, unknown>> = isObject(value) ? value : {};
  const { records, bytes, sha256, readFrom, readUntil } = summary;
  if (typeof records !== "number" || typeof bytes !== "number" || typeof sha256 !== "string")
    return undefined;
  if (typeof readFrom !== "number" || typeof readUntil !== "number") return undefined;
  return { records, bytes, sha256, readFrom, readUntil };
}

function requireHeader(line: Uint8Array | undefined, place: SegmentPlace): void {
  const header = parseLine(line);
  if (header["format"] !== FORMAT) throw unusable(place, "it does not begin like a segment");
  if (header["version"] !== VERSION) throw unusable(place, `its format version is not ${VERSION}`);
  for (const part of ["id", "collection", "partition"] as const)
    if (header[part] !== place[part]) throw unusable(place, `its ${part} is another one`);
  if (header["contract"] !== place.contract)
    throw unusable(
      place,
      "another version of the SDK extracted it, whose records differ. Discard the run, and extract it again with one version",
    );
}

function parseLine(line: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(line ?? []).toString());
    return isObject(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function unusable({ name }: SegmentPlace, why: string, cause?: unknown): UnusableSegmentError {
  return new UnusableSegmentError(`The staged segment of ${name} cannot be used: ${why}.`, { cause });
}
