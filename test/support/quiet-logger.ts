import type { Logger } from "@saas-management/sdk/sync";

const quiet = () => {};

/** A logger with the given methods that ignores all other lines. */
export function quietLogger(heard: Partial<Logger>): Logger {
  return { debug: quiet, info: quiet, warn: quiet, error: quiet, ...heard };
}
