/**
 * Reads a web stream by a reader of its own. The stream's iterator answers a `return()` only after the read that is
 * under way, and the stream may be stuck in it.
 */
export function readerOf(stream: ReadableStream<unknown>): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const step = await reader.read();
      if (step.done) reader.releaseLock();
      return step;
    },
    return: async () => {
      await reader.cancel();
      reader.releaseLock();
      return { done: true, value: undefined };
    },
  };
}
