import { secretsIn } from "../../../core/redact.js";
import { leavesOf } from "../structure/json-path.js";
import { partsOf } from "../structure/request-parts.js";
import type { RecordedRequest, RecordedResponse } from "./cassette.js";

/** Shorter values aren't secrets, and may occur in other texts by chance. */
const MIN_LENGTH = 8;
/** Names of values that a connector may leak. A recording doesn't need these names: it keeps none of the values. */
const SECRET = /(?:secret|passw(?:or)?d|key|auth(?:orization)?|cookie|credentials?|signature|assertion|jwt)$/;
/** Names that end with `token`, except names of page tokens. */
const TOKEN = /(?<!page|next|continuation|cursor|sync|delta|skip)token$/;

/** The credentials that a request sends: in headers, cookies, its address and the fields of its body. */
export function credentialsSent(request: RecordedRequest): readonly string[] {
  const headers = Object.entries(request.headers)
    .filter(([name]) => isSecretName(name))
    .flatMap(([name, value]) => (name === "cookie" ? cookiesOf(value) : secretsOf(value)));
  const parts = partsOf(request)
    .filter(({ name }) => isSecretName(name.split(".").at(-1) ?? ""))
    .map(({ value }) => value);
  return longEnough([...headers, ...parts]);
}

/** The credentials that an answer grants, such as an access token or a session's cookie. */
export function credentialsGranted({ headers, body }: RecordedResponse): readonly string[] {
  const cookies = (headers["set-cookie"] ?? "")
    .split("\n")
    .flatMap((line) => cookiesOf(line.split(";")[0] ?? ""));
  const leaves = "json" in body ? [...leavesOf(body.json)] : [];
  const granted = leaves.filter(({ path }) => isSecretName(`${path.at(-1)}`)).map(({ value }) => `${value}`);
  return longEnough([...cookies, ...granted]);
}

function isSecretName(name: string): boolean {
  const folded = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET.test(folded) || TOKEN.test(folded);
}

function cookiesOf(header: string): readonly string[] {
  return header.split(";").map((cookie) => cookie.slice(cookie.indexOf("=") + 1).trim());
}

/** A header's value and the secret in it: the second word of `Bearer abc`, or the password that `Basic …` encodes. */
function secretsOf(value: string): readonly string[] {
  const basic = /^basic (.+)$/i.exec(value)?.[1];
  if (basic === undefined) return secretsIn(value);
  const decoded = Buffer.from(basic, "base64").toString();
  return [basic, decoded, decoded.slice(decoded.indexOf(":") + 1)];
}

function longEnough(secrets: readonly string[]): readonly string[] {
  return secrets.filter(({ length }) => length >= MIN_LENGTH);
}
