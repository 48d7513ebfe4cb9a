type Wire = typeof import("./wire.js");

let loading: Promise<Wire> | undefined;
let loaded: Wire | undefined;

/** What is loaded already; undefined before that. Spares each request the wait. */
export function loadedWire(): Wire | undefined {
  return loaded;
}

/**
 * Loads what needs graphql and graphql-request, with the first request. After that nothing but a microtask passes: an
 * `import()` of its own would let each page of a busy consumer go out too late.
 */
export async function loadWire(): Promise<Wire> {
  loading ??= import("./wire.js").catch((error: unknown) => {
    // A chunk that a browser could not fetch may be there the next time.
    loading = undefined;
    throw error;
  });
  loaded = await loading;
  return loaded;
}
