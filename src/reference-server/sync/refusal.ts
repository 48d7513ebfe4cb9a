import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import type { ApiKey, ApiKeys } from "../workspace.js";

export class Refusal extends Error {
  constructor(
    readonly code: status,
    details: string,
    readonly trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details);
    this.name = "Refusal";
  }
}

/** The status of a failed call. Anything but a refusal is a bug in the server, and its status reveals nothing. */
export function toStatus(error: unknown): StatusObject {
  if (!(error instanceof Refusal)) {
    const details = "The reference server failed to handle the request.";
    return { code: status.INTERNAL, details, metadata: new Metadata() };
  }
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(error.trailers)) metadata.set(name, value);
  return { code: error.code, details: error.message, metadata };
}

/**
 * The key in the metadata `authorization: ApiKey <key>`. The scheme is case-sensitive, to expose clients that get it
 * wrong.
 */
export function authenticate(metadata: Metadata, keys: ApiKeys): ApiKey {
  if (metadata.get("authorization").length === 0) {
    throw unauthenticated("The metadata `authorization` is missing.");
  }
  const presented = presentedKey(metadata);
  if (presented === undefined) {
    throw unauthenticated("The metadata `authorization` must be `ApiKey`, a space and the API key.");
  }
  const key = keys.find(presented);
  if (key === undefined) throw unauthenticated("The API key is unknown to the service.");
  return key;
}

export function presentedKey(metadata: Metadata): string | undefined {
  const [value, ...others] = metadata.get("authorization");
  return others.length === 0 ? /^ApiKey ([!-~]+)$/.exec(String(value))?.[1] : undefined;
}

/** Called again for each message, because a key can be revoked while a call is running. */
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
