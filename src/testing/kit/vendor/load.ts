/** Loads the simulated vendor with its first use, and not with `./testing`: it loads undici. */
export async function loadVendor() {
  // Node's undici first: the package would otherwise take its place as the global dispatcher.
  void globalThis.Headers;
  const [{ startVendor }, { intercept }] = await Promise.all([
    import("./server.js"),
    import("./intercept.js"),
  ]);
  return { startVendor, intercept };
}
