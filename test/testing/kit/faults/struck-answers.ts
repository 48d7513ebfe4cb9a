import { bytesOf } from "../../../../src/testing/kit/cassette/body.js";
import type { Exchange } from "../../../../src/testing/kit/cassette/cassette.js";
import type { Struck } from "../../../../src/testing/kit/faults/fault.js";
import type { VendorAnswer, VendorRequest } from "../../../../src/testing/kit/vendor/messages.js";

/** The answers to the recording's own requests, each asked for once, that differ from it; with their indexes. */
export function struckAnswers(
  recording: readonly Exchange[],
  struck: Struck,
): readonly { readonly exchange: number; readonly answer: VendorAnswer }[] {
  return recording.flatMap((clean, exchange) => {
    const played = struck.exchanges[exchange] ?? clean;
    const base = answerOf(played);
    const answer = struck.answer?.(base, requestOf(clean, exchange)) ?? base;
    return isSame(answer, answerOf(clean)) ? [] : [{ exchange, answer }];
  });
}

function answerOf({ response }: Exchange): VendorAnswer {
  return { status: response.status, headers: response.headers, body: bytesOf(response.body) };
}

function requestOf({ request }: Exchange, exchange: number): VendorRequest {
  const { method, url, headers, body } = request;
  const bytes = body === undefined ? Buffer.alloc(0) : bytesOf(body);
  return { method, url, headers, body: bytes, number: exchange + 1, repeat: 0, exchange };
}

function isSame(one: VendorAnswer, other: VendorAnswer): boolean {
  return (
    one.status === other.status &&
    one.delayMs === other.delayMs &&
    one.cutAfter === other.cutAfter &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers) &&
    one.body.equals(other.body)
  );
}
