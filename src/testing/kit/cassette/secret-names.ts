/** Shorter values are not secrets, and occur by chance. */
export const MIN_SECRET_LENGTH = 8;

/** Headers that carry credentials whatever their value. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "wwwauthenticate",
]);

/** Names, without case and separators, that end as those of credentials do. */
const SECRET_NAME =
  /(?:secret|password|passwd|passphrase|pwd|apikey|accesskey|privatekey|subscriptionkey|authkey|appkey|clientkey|accesstoken|refreshtoken|idtoken|authtoken|apitoken|bearertoken|sessiontoken|securitytoken|csrftoken|xsrftoken|devicetoken|jwt|assertion|sessionid|jsessionid|sessid|credential|credentials|signature|sig|xamzsignature|xgoogsignature|authorization|codeverifier)$/;

/** Whole names, which longer names may end with by chance (nextPageToken is none). */
const SECRET_WORDS: ReadonlySet<string> = new Set(["token", "key", "code", "auth", "pass", "sid", "session"]);

/** `access_token`, `X-Api-Key` and `clientSecret` without case and separators. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Headers such as `x-auth-token`, but none that says where a list goes on. */
const TOKEN_HEADER = /(?<!page|next|continuation|cursor|sync|delta|skip)(?:token|auth)$/;

/** Whether a header holds a credential. */
export function isSecretHeader(name: string): boolean {
  const folded = foldName(name);
  return SECRET_HEADERS.has(folded) || SECRET_NAME.test(folded) || TOKEN_HEADER.test(folded);
}

/** Whether a field of a query, a form or a JSON body holds a credential. `key` and `code` do as parameters only. */
export function isSecretField(name: string, place: "parameter" | "json"): boolean {
  const folded = foldName(name);
  if (SECRET_NAME.test(folded)) return true;
  return place === "parameter" ? SECRET_WORDS.has(folded) : folded === "token";
}

/** Secrets that a connector may put anywhere, such as into a path. */
export function secretsOfEnvironment(): readonly string[] {
  return Object.entries(process.env).flatMap(([name, value = ""]) =>
    /(?:token|key|secret|password|passwd|credentials?)$/i.test(name) && value.length >= MIN_SECRET_LENGTH
      ? [value]
      : [],
  );
}
