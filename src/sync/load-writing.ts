/** What only writes need: zod, the codecs, and what stands on them. */
export interface Writing {
  readonly writer: typeof import("./writer.js");
  readonly sink: typeof import("./record-sink.js");
  readonly collections: typeof import("./collections.js");
}

let loading: Promise<Writing> | undefined;

/** Loads it with the first write. After that nothing but a microtask passes. */
export function loadWriting(): Promise<Writing> {
  loading ??= load().catch((error: unknown) => {
    // What could not be read may be there the next time.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Writing> {
  const [writer, sink, collections] = await Promise.all([
    import("./writer.js"),
    import("./record-sink.js"),
    import("./collections.js"),
  ]);
  return { writer, sink, collections };
}
