import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Workspace } from "./workspace.js";

/** What a key may do with the data of its workspace (service description, "Authentication"). */
export type KeyScope = "read" | "read-write";

/**
 * A permission that a key needs beside its scope; `integration:sync` is the one that the Sync API asks for (service
 * description, "Authentication").
 */
export type KeyPermission = "integration:sync";

/** @internal An API key as the server keeps it: the key itself is not part of it. */
export interface ApiKey {
  readonly workspace: Workspace;
  readonly scope: KeyScope;
  readonly permissions: readonly KeyPermission[];
  /** Becomes true at once when the key is revoked, also for calls that are under way. */
  readonly revoked: boolean;
}

/** @internal What the server knows of a presented key. */
export type KeyLookup =
  | { readonly status: "ok"; readonly key: ApiKey }
  | { readonly status: "unknown" }
  | { readonly status: "revoked" };

interface KeyEntry extends Omit<ApiKey, "revoked"> {
  readonly digest: Buffer;
  revoked: boolean;
}

/** @internal The API keys of all workspaces. Only their digests are kept. */
export class ApiKeys {
  readonly #entries: KeyEntry[] = [];

  /** Creates a key and returns its value, which is not shown again. */
  create(key: Omit<ApiKey, "revoked">): string {
    const value = `smk_${randomBytes(32).toString("base64url")}`;
    this.#entries.push({ ...key, digest: digestOf(value), revoked: false });
    return value;
  }

  /**
   * Makes a key unusable, from now on.
   * @throws Error where no such key exists.
   */
  revoke(value: string): void {
    const entry = this.#find(value);
    if (entry === undefined) throw new Error("There is no such API key to revoke.");
    entry.revoked = true;
  }

  /** Makes the key that a caller presented unusable, where it is one. */
  revokePresented(value: string | undefined): void {
    const entry = value === undefined ? undefined : this.#find(value);
    if (entry !== undefined) entry.revoked = true;
  }

  lookUp(value: string | undefined): KeyLookup {
    const key = value === undefined ? undefined : this.#find(value);
    if (key === undefined) return { status: "unknown" };
    return key.revoked ? { status: "revoked" } : { status: "ok", key };
  }

  /**
   * Takes the same time for every presented key of a length, because each stored digest is compared in full and none
   * ends the search: how long it takes tells nothing of a stored key, neither whether it was met nor how much of it.
   */
  #find(value: string): KeyEntry | undefined {
    const digest = digestOf(value);
    let found: KeyEntry | undefined;
    for (const entry of this.#entries) {
      if (timingSafeEqual(entry.digest, digest)) found = entry;
    }
    return found;
  }
}

function digestOf(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
