/** Nothing is sent for a call that has ended or was cancelled. */
import type { Simulated } from "../simulate.js";

export function brokenCancellationRules({ journal }: Simulated): string[] {
  const { requests, misdeeds, closing } = journal;
  const found = requests.flatMap(({ call, sent, signal, operation }) => {
    const ends = {
      "its caller gave up": call.givenUp,
      "its caller had what it wanted": call.settled,
      "the client was closed": closing,
    };
    const after = Object.entries(ends).flatMap(([what, moment]) =>
      moment !== undefined && sent.order > moment.order ? [what] : [],
    );
    return [
      ...after.map((what) => `cancellation: ${operation} of ${call.id} was sent after ${what}`),
      ...(signal ? [] : [`cancellation: ${operation} of ${call.id} was sent without a signal`]),
    ];
  });
  return [...misdeeds, ...found];
}
