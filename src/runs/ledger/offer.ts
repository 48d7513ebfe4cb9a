/** What a held run leaves behind for a person to approve. */
import { createHash } from "node:crypto";
import { isCount, isText, listOf, objectOf, optional, recordOf } from "../../core/validate.js";
import type { FieldSample } from "../../sync/ids/field-sample.js";
import { eachLine, wholeLines } from "./id-lines.js";
import { isSample } from "./past.js";
import type { Lines } from "./value.js";

/** A rule that was broken, and by what: nothing else of it is approved. */
export interface CoveredRule {
  readonly rule: string;
  readonly fields?: readonly string[] | undefined;
  /** What the held snapshot had, for the rule about fields. */
  readonly sample?: FieldSample | undefined;
}

/** What an approval is about, in all collections of the held run. */
export interface Offer {
  /** Tells two offers of the same apart. */
  readonly nonce: string;
  /** For each collection, what {@link digestOf} returns. */
  readonly digests: Readonly<Record<string, string>>;
}

/** What one collection of a held run waits for, with the ids that a person approves. */
export interface PendingApproval {
  readonly offer: Offer;
  readonly expiresAt: number;
  readonly covers: readonly CoveredRule[];
  /** The ids that would be removed; if that is not known, those that were sent. */
  lines(): Lines;
  /** The ids that were new, if there were too many of them. */
  added(): Lines;
}

/** The id of an approval. It names the ids and rules: an offer that was changed has another one. */
export function offerId({ nonce, digests }: Offer): string {
  const sorted = Object.entries(digests).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([nonce, sorted])).slice(0, 32);
}

/** Names what is covered in one collection. The order of the ids does not matter. */
export async function digestOf({
  covers,
  lines,
  added,
}: Pick<PendingApproval, "covers" | "lines" | "added">): Promise<string> {
  return sha256(JSON.stringify([covers, await sumOf(lines()), await sumOf(added())]));
}

export const isOffered = objectOf<Omit<PendingApproval, "lines" | "added">>({
  offer: objectOf<Offer>({ nonce: isText, digests: recordOf(isText) }),
  expiresAt: isCount,
  covers: listOf(
    objectOf<CoveredRule>({ rule: isText, fields: optional(listOf(isText)), sample: optional(isSample) }),
  ),
});

/** How many ids there are, and the sum of their hashes. */
async function sumOf(lines: Lines): Promise<string> {
  const sum = new Uint32Array(8);
  let count = 0;
  for await (const piece of wholeLines(lines))
    eachLine(piece, (start, end) => {
      const hash = createHash("sha256").update(piece.subarray(start, end)).digest();
      for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + hash.readUInt32LE(4 * i);
      count += 1;
    });
  return `${count} ${sum.join(" ")}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
