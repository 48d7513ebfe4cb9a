/** Credentials that the vendor does not take, or shows. */
import type { VendorAnswer, VendorRequest } from "../../vendor/answer.js";
import { answering, type FaultKind, instead, jsonError, type Times } from "../kind.js";
import { spotAt, spotOf, spotsOf } from "../view.js";

const JSON_TYPE = { "content-type": "application/json" };

function credentialOf({ headers, url }: VendorRequest): string {
  const header = headers["authorization"] ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["cookie"];
  return header?.replace(/^\w+ /, "") ?? url;
}

/** Without a token, every other request is answered with 401. */
function token(name: string, summary: string, times: Times, change: () => VendorAnswer): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const { token: exchange } = view.structure;
      if (exchange === undefined) return undefined;
      const unauthorized = jsonError(401, "Invalid access token");
      let isGranted = false;
      return {
        at: spotOf(view.recording, exchange).label,
        exchanges: view.recording,
        answer(answer, request) {
          if (request.exchange !== exchange) return isGranted ? answer : unauthorized;
          if (times === "always" || request.repeat === 0) return change();
          isGranted = true;
          return answer;
        },
      };
    },
  };
}

export const SESSIONS: readonly FaultKind[] = [
  token("token-refused", "the request for an access token answers 401", "always", () =>
    instead(401, '{"error":"invalid_client"}', JSON_TYPE),
  ),
  token("token-failed-once", "the request for an access token answers 503 once", "once", () =>
    jsonError(503, "Service unavailable"),
  ),
  token("token-missing", "the answer with the access token has none, and status 200", "always", () =>
    instead(200, '{"token_type":"Bearer"}', JSON_TYPE),
  ),
  {
    name: "token-expired",
    summary: "the access token expires in mid-walk: 401 until a new one was asked for",
    plan(view) {
      const spots = spotsOf(view);
      const spot = view.pick(spots.slice(1));
      if (spot === undefined) return undefined;
      const { token } = view.structure;
      const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
      const error = jsonError(401, "The access token expired", challenge);
      let isExpired = false;
      let isRenewed = false;
      return {
        at: spot.label,
        exchanges: view.recording,
        answer(answer, { exchange }) {
          if (exchange === spot.exchange) isExpired = true;
          else if (isExpired && exchange === token) isRenewed = true;
          return exchange !== token && isExpired && !isRenewed ? error : answer;
        },
      };
    },
  },
  {
    name: "error-shows-key",
    summary: "a page answers 401, and the message shows the key that was sent",
    plan(view) {
      const spot = spotAt(view, "any");
      if (spot === undefined) return undefined;
      return answering(view, spot, "always", (_, request) =>
        jsonError(401, `Incorrect API key provided: ${credentialOf(request)}`),
      );
    },
  },
  {
    name: "error-shows-request",
    summary: "a page answers 500 with a debug page that shows the headers of the request",
    plan(view) {
      const spot = spotAt(view, "last") ?? spotAt(view, "first");
      if (spot === undefined) return undefined;
      return answering(view, spot, "always", (_, { headers }) => {
        const rows = Object.entries(headers).map(
          ([name, value]) => `<tr><td>${name}</td><td>${value}</td></tr>`,
        );
        const page = `<h1>Unhandled exception</h1><table>${rows.join("")}</table>`;
        return instead(500, page, { "content-type": "text/html" });
      });
    },
  },
];
