import type { VendorAnswer, VendorRequest } from "../vendor/answer.js";
import type { Struck, VendorFault } from "./fault.js";
import type { Spot, View } from "./view.js";

/** A fault of the catalogue, before it is planned for a recording. */
export interface FaultKind extends Pick<VendorFault, "name" | "summary" | "excuses"> {
  plan(view: View): Plan | undefined;
}

export interface Plan extends Struck {
  /** Where it strikes, as in `page 2 of GET /users`. */
  readonly at: string;
}

/** How often a fault strikes: at the first request only, or at each. */
export type Times = "once" | "always";

/** A plan that changes the answers of one exchange. */
export function answering(
  view: View,
  { exchange, label }: Spot,
  times: Times,
  change: (answer: VendorAnswer, request: VendorRequest) => VendorAnswer,
): Plan {
  return {
    at: label,
    exchanges: view.recording,
    answer: (answer, request) =>
      request.exchange === exchange && (times === "always" || request.repeat === 0)
        ? change(answer, request)
        : answer,
  };
}

/** Another answer altogether: what described the old body goes. */
export function instead(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): VendorAnswer {
  return { status, headers, body: Buffer.from(body) };
}

/** An error as vendors answer it. */
export function jsonError(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): VendorAnswer {
  const body = JSON.stringify({ error: { code: status, message } });
  return instead(status, body, { "content-type": "application/json", ...headers });
}
