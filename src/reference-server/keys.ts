import { createHash, randomBytes } from "node:crypto";
import type { Workspace } from "./workspace.js";

/** What a key may do with the data of its workspace (service description, "Authentication"). */
export type KeyScope = "read" | "read-write";

/** A permission beside the scope. The Sync API requires `integration:sync` (service description, "Authentication"). */
export type KeyPermission = "integration:sync";

/** @internal An API key as the server stores it: without the key itself. */
export interface ApiKey {
  readonly workspace: Workspace;
  readonly scope: KeyScope;
  readonly permissions: readonly KeyPermission[];
  /** Changes as soon as the key is revoked, also for calls that are running. */
  readonly revoked: boolean;
}

/** @internal */
export type KeyLookup =
  | { readonly status: "ok"; readonly key: ApiKey }
  | { readonly status: "unknown" }
  | { readonly status: "revoked" };

/** @internal The API keys of all workspaces, by their SHA-256. */
export class ApiKeys {
  readonly #keys = new Map<string, ApiKey & { revoked: boolean }>();

  /** Creates a key and returns its value, which is not stored. */
  create(key: Omit<ApiKey, "revoked">): string {
    const value = `smk_${randomBytes(32).toString("base64url")}`;
    this.#keys.set(hashOf(value), { ...key, revoked: false });
    return value;
  }

  /** @returns whether there is such a key */
  revoke(value: string | undefined): boolean {
    const key = value === undefined ? undefined : this.#keys.get(hashOf(value));
    if (key === undefined) return false;
    key.revoked = true;
    return true;
  }

  lookUp(value: string | undefined): KeyLookup {
    const key = value === undefined ? undefined : this.#keys.get(hashOf(value));
    if (key === undefined) return { status: "unknown" };
    return key.revoked ? { status: "revoked" } : { status: "ok", key };
  }
}

function hashOf(value: string): string {
  return createHash("sha256").update(value).digest("base64");
}
