/** Imports one package, as the first thing that a process does, and prints how many milliseconds that took. */
const since = performance.now();
await import(process.argv[2] ?? "");
console.log(performance.now() - since);
process.exit(0);
