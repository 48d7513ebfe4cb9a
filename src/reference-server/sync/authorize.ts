import { type Metadata, status } from "@grpc/grpc-js";
import type { ApiKey, ApiKeys } from "../keys.js";
import { Refusal } from "./refusal.js";

/**
 * The key that a call presents in its metadata `authorization: ApiKey <key>`.
 * The scheme is matched to the letter, so that a client that gets it wrong is found out here.
 */
export function authenticate(metadata: Metadata, keys: ApiKeys): ApiKey {
  if (metadata.get("authorization").length === 0) {
    throw unauthenticated("The metadata `authorization` is missing.");
  }
  const presented = presentedKey(metadata);
  if (presented === undefined) {
    throw unauthenticated(
      "The metadata `authorization` is malformed: it must be `ApiKey`, a space and the API key.",
    );
  }
  const found = keys.lookUp(presented);
  if (found.status === "ok") return found.key;
  throw unauthenticated(
    found.status === "revoked" ? "The API key was revoked." : "The API key is not known to the service.",
  );
}

/** The value of the key that a call presents; undefined where it presents none, or not as it should. */
export function presentedKey(metadata: Metadata): string | undefined {
  const [value, ...others] = metadata.get("authorization");
  return others.length === 0 ? /^ApiKey ([!-~]+)$/.exec(String(value))?.[1] : undefined;
}

/** Refuses a key that may not use the Sync API, or not any more: a call may outlive its key. */
export function authorize(key: ApiKey): void {
  if (key.revoked) throw unauthenticated("The API key was revoked.");
  if (key.scope !== "read-write") {
    throw new Refusal(status.PERMISSION_DENIED, "The API key has no write access.");
  }
  if (!key.permissions.includes("integration:sync")) {
    throw new Refusal(status.PERMISSION_DENIED, "The API key lacks the permission `integration:sync`.");
  }
}

function unauthenticated(details: string): Refusal {
  return new Refusal(status.UNAUTHENTICATED, details);
}
