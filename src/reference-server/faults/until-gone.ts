/** Never resolves. Rejects with the signal's reason when that fires: nobody waits for the answer any more. */
export function untilGone(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const gone = (): void => reject(signal.reason);
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
  });
}
