import type { Logger } from "@saas-management/sdk/sync";

const quiet = () => {};

/** A logger that says nothing, but for what it is given. */
export function quietLogger(heard: Partial<Logger>): Logger {
  return { debug: quiet, info: quiet, warn: quiet, error: quiet, ...heard };
}
