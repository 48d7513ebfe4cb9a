import { secretsIn } from "../../../core/redact.js";
import type { RecordedRequest, RecordedResponse } from "./cassette.js";
import { type ExchangeMapper, mapRequest, mapResponse } from "./map-exchange.js";
import { MIN_SECRET_LENGTH } from "./secret-names.js";

/** Recorded answers are played again in each case. */
const known = new WeakMap<object, ReadonlySet<string>>();

/** The credentials that a request sends: in headers, cookies, its address, and by the names of fields in its body. */
export function credentialsSent(request: RecordedRequest): ReadonlySet<string> {
  return credentialsOf(request, (mapper) => mapRequest(mapper, request));
}

/** The credentials that an answer grants, such as an access token or a session's cookie. */
export function credentialsGranted(response: RecordedResponse): ReadonlySet<string> {
  return credentialsOf(response, (mapper) => mapResponse(mapper, response, { isPerson: false }));
}

/** Notes credentials, and changes nothing. */
function credentialsOf(message: object, walk: (mapper: ExchangeMapper) => void): ReadonlySet<string> {
  const before = known.get(message);
  if (before !== undefined) return before;
  const found = new Set<string>();
  known.set(message, found);
  walk({
    string(value, { kind }) {
      const secrets = kind === "secret" ? [value] : kind === "credential" ? secretsOf(value) : [];
      for (const secret of secrets) if (secret.length >= MIN_SECRET_LENGTH) found.add(secret);
      return value;
    },
    keys: (names) => names,
  });
  return found;
}

/** A value of a header: `Bearer abc` with its second word, `Basic …` with the password in it. */
function secretsOf(value: string): readonly string[] {
  const basic = /^basic (.+)$/i.exec(value)?.[1];
  if (basic === undefined) return secretsIn(value);
  const decoded = Buffer.from(basic, "base64").toString();
  return [basic, decoded, decoded.slice(decoded.indexOf(":") + 1)];
}
