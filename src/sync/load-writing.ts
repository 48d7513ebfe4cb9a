type Writing = typeof import("./writing.js");

let loading: Promise<Writing> | undefined;
let loaded: Writing | undefined;

/** What is loaded already; undefined before that. Spares each write the wait. */
export function loadedWriting(): Writing | undefined {
  return loaded;
}

/** Loads what writes need, with the first of them: whoever only opens or aborts a batch does not pay for it. */
export async function loadWriting(): Promise<Writing> {
  loading ??= import("./writing.js").catch((error: unknown) => {
    // A file that could not be read may be there the next time.
    loading = undefined;
    throw error;
  });
  loaded = await loading;
  return loaded;
}
