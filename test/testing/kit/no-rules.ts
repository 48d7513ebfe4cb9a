import type { GuardOptions } from "@saas-management/sdk";

/** The guard without its rules: it still reads baselines. */
export const NO_RULES: GuardOptions = {
  removed: false,
  window: false,
  added: false,
  changed: false,
};
