import { createHash, randomBytes } from "node:crypto";
import type { Workspace } from "./workspace.js";

/** An API key as the server stores it: without the key itself (service description, "Authentication"). */
export interface ApiKey {
  readonly workspace: Workspace;
  readonly scope: "read" | "read-write";
  readonly permissions: readonly "integration:sync"[];
  /** Changes as soon as the key is revoked, also for calls that are running. */
  readonly revoked: boolean;
}

export type KeyLookup =
  | { readonly status: "ok"; readonly key: ApiKey }
  | { readonly status: "unknown" | "revoked" };

/** The API keys of all workspaces, by their SHA-256. */
export class ApiKeys {
  readonly #keys = new Map<string, ApiKey & { revoked: boolean }>();

  /** Creates a key and returns its value, which is not stored. */
  create(key: Omit<ApiKey, "revoked">, value = `smk_${randomBytes(32).toString("base64url")}`): string {
    this.#keys.set(hashOf(value), { ...key, revoked: false });
    return value;
  }

  /** @returns whether there is such a key */
  revoke(value: string | undefined): boolean {
    const key = this.#keys.get(hashOf(value));
    if (key !== undefined) key.revoked = true;
    return key !== undefined;
  }

  lookUp(value: string | undefined): KeyLookup {
    const key = this.#keys.get(hashOf(value));
    if (key === undefined) return { status: "unknown" };
    return key.revoked ? { status: "revoked" } : { status: "ok", key };
  }

  clear(): void {
    this.#keys.clear();
  }
}

function hashOf(value = ""): string {
  return createHash("sha256").update(value).digest("base64");
}
