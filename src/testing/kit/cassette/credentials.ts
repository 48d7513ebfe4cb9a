import { secretsIn } from "../../../core/redact.js";
import type { RecordedBody, RecordedRequest, RecordedResponse } from "./cassette.js";
import { formOf } from "./form.js";
import { isSecretField, isSecretHeader, MIN_SECRET_LENGTH } from "./secret-names.js";

/** The credentials that a request sends: in headers, cookies, its address, and by the names of fields in its body. */
export function credentialsSent({ url, headers, body }: RecordedRequest): Set<string> {
  const found = new Set<string>();
  addHeaders(found, headers);
  addParameters(found, new URL(url).searchParams);
  addBody(found, headers, body);
  return found;
}

/** The credentials that an answer grants, such as an access token or a session's cookie. */
export function credentialsGranted({ headers, body }: RecordedResponse): Set<string> {
  const found = new Set<string>();
  addHeaders(found, headers);
  addBody(found, headers, body);
  return found;
}

/** The names and values of a Cookie or Set-Cookie header; attributes such as `Path` are not among them. */
function cookiesIn(name: string, value: string): readonly string[] {
  const cookies =
    name === "set-cookie" ? value.split("\n").map((line) => line.split(";", 1)[0] ?? "") : value.split(";");
  return cookies.map((cookie) => cookie.slice(cookie.indexOf("=") + 1).trim());
}

function addHeaders(found: Set<string>, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "cookie" || name === "set-cookie")
      for (const cookie of cookiesIn(name, value)) add(found, cookie);
    // A challenge names schemes and realms.
    else if (name !== "www-authenticate" && isSecretHeader(name))
      for (const secret of secretsOf(value)) add(found, secret);
  }
}

/** A value of a header: `Bearer abc` with its second word, `Basic …` with the password in it. */
function secretsOf(value: string): readonly string[] {
  const basic = /^basic (.+)$/i.exec(value)?.[1];
  if (basic === undefined) return secretsIn(value);
  const decoded = Buffer.from(basic, "base64").toString();
  return [basic, decoded, decoded.slice(decoded.indexOf(":") + 1)];
}

function addParameters(found: Set<string>, parameters: URLSearchParams): void {
  for (const [name, value] of parameters) if (isSecretField(name, "parameter")) add(found, value);
}

function addBody(
  found: Set<string>,
  headers: RecordedRequest["headers"],
  body: RecordedBody | undefined,
): void {
  const form = formOf(headers, body);
  if (form !== undefined) addParameters(found, form);
  else if (body !== undefined && "json" in body) addFields(found, body.json);
}

function addFields(found: Set<string>, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === "string" && isSecretField(name, "json")) add(found, field);
    else addFields(found, field);
  }
}

function add(found: Set<string>, secret: string): void {
  if (secret.length >= MIN_SECRET_LENGTH) found.add(secret);
}
