import type { Logger } from "./logger.js";

/**
 * Makes a callback of the user's one that never throws: whoever looks on must not fail, or outlive, what is looked at.
 * What it throws, or rejects with where it is asynchronous, is logged; nobody waits for it.
 * @param name Name of the option, for the log.
 */
export function guardCallback<Event>(
  name: string,
  callback: ((event: Event) => unknown) | undefined,
  logger: Logger,
): (event: Event) => void {
  return (event) => {
    const failed = (error: unknown): void =>
      logger.error(`saas-management: ${name} threw an exception`, { event, error });
    try {
      Promise.resolve(callback?.(event)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
