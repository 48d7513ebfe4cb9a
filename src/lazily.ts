/**
 * A function that loads something with its first call. Later calls get the same promise, so that nothing but a microtask
 * passes; after a failure the next call tries again.
 */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
