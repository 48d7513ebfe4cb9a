import { type InputIssue, InvalidInputError } from "@saas-management/sdk";
import { rejection } from "./promises.js";

/** Everything that a source yields, in one array. */
export async function all<R>(source: AsyncIterable<readonly R[]>): Promise<R[]> {
  const records: R[] = [];
  for await (const some of source) records.push(...some);
  return records;
}

/** The content as a stream of pieces of `size` bytes, which may split characters and line ends. */
export async function* inPieces(
  content: string | Uint8Array,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** The error of an iteration or a write, and its first issue. */
export async function refusalOf(
  outcome: Promise<unknown>,
): Promise<{ readonly error: InvalidInputError; readonly issue: InputIssue | undefined }> {
  const error = await rejection(outcome);
  if (!(error instanceof InvalidInputError)) throw error;
  return { error, issue: error.issues[0] };
}
