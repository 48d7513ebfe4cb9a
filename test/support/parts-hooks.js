/** Leaves one file of the SDK out, or holds it back until `globalThis.heldBack` resolves, as shared memory says. */

let file = "";
let state = new Int32Array(2);

export function initialize(data) {
  ({ file, state } = data);
}

export async function resolve(specifier, context, nextResolve) {
  const isPart = /([\w-]+)\.[jt]s$/.exec(specifier)?.[1] === file && context.parentURL?.includes("/src/");
  if (isPart && state[0] === 1) throw new Error(`There is no file ${file}.`);
  const resolved = await nextResolve(specifier, context);
  if (!isPart || state[0] === 0) return resolved;
  Atomics.add(state, 1, 1);
  const source = `export * from ${JSON.stringify(resolved.url)};\nawait globalThis.heldBack;\n`;
  return { url: `data:text/javascript,${encodeURIComponent(source)}`, format: "module", shortCircuit: true };
}
