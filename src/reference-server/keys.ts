import { randomBytes } from "node:crypto";
import type { Workspace } from "./workspace.js";

/** What an API key may do (service description, "Authentication"). */
export interface ApiKey {
  readonly workspace: Workspace;
  readonly scope: "read" | "read-write";
  readonly permissions: readonly "integration:sync"[];
  /** Changes as soon as the key is revoked, also for calls that are running. */
  readonly revoked: boolean;
}

export class ApiKeys {
  readonly #keys = new Map<string, ApiKey & { revoked: boolean }>();

  create(key: Omit<ApiKey, "revoked">, value = `smk_${randomBytes(32).toString("base64url")}`): string {
    this.#keys.set(value, { ...key, revoked: false });
    return value;
  }

  revoke(value = ""): boolean {
    const key = this.#keys.get(value);
    if (key !== undefined) key.revoked = true;
    return key !== undefined;
  }

  find(value = ""): ApiKey | undefined {
    return this.#keys.get(value);
  }

  clear(): void {
    this.#keys.clear();
  }
}
