import { SaasManagementError } from "../../core/errors/index.js";
import { messageOf } from "../problem.js";

/** What a check found. */
export interface Finding {
  readonly name: string;
  /** `skipped`: it could not be looked at, or does not apply; the text says why. */
  readonly state: "ok" | "problem" | "skipped";
  readonly text: string;
  /** What to do about a problem. */
  readonly advice?: string | undefined;
  readonly error?: unknown;
}

const CHECK_MS = 15_000;

/** Runs a check. A check that throws has found a problem. */
export async function check(
  name: string,
  signal: AbortSignal,
  look: (signal: AbortSignal) => Promise<Omit<Finding, "name">>,
): Promise<Finding> {
  const over = AbortSignal.timeout(CHECK_MS);
  const ended = AbortSignal.any([signal, over]);
  try {
    const late = new Promise<never>((_, reject) => {
      ended.addEventListener("abort", () => reject(ended.reason), { once: true });
    });
    return { name, ...(await Promise.race([look(ended), late])) };
  } catch (error) {
    signal.throwIfAborted();
    if (over.aborted) return problem(name, "no answer within 15 seconds", "Is there a firewall?", error);
    return problem(
      name,
      messageOf(error),
      error instanceof SaasManagementError ? undefined : causeOf(error),
      error,
    );
  }
}

export const ok = (text: string) => ({ state: "ok", text }) as const;
export const skipped = (text: string) => ({ state: "skipped", text }) as const;
export const bad = (text: string, advice?: string) => ({ state: "problem", text, advice }) as const;

function problem(name: string, text: string, advice: string | undefined, error: unknown): Finding {
  return { name, state: "problem", text, advice, error };
}

function causeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ADVICE[code];
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: "Correct the address, or the name server of this machine.",
  EAI_AGAIN: "The name server does not answer. Is this machine online?",
  ECONNREFUSED: "Nothing listens there. Correct the port, or start the service.",
  EACCES: "Give this user the right to write there, or choose another directory.",
  EROFS: "The file system is read-only. Choose another directory.",
  ENOSPC: "The disk is full.",
  SELF_SIGNED_CERT_IN_CHAIN: "Set tls.ca to the certificate of the authority that signed it.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Set tls.ca to this certificate.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Set tls.ca to the certificate of the authority that signed it.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "Set tls.ca to the certificate of the authority that signed it.",
  CERT_HAS_EXPIRED: "Its operator must renew it. Is the clock of this machine right?",
  ERR_TLS_CERT_ALTNAME_INVALID: "Correct the address, or set tls.serverName if it is meant.",
};
