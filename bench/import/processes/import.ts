/**
 * Imports packages together at the start of a process, and prints the time and CPU in milliseconds, and the memory
 * that the process then uses.
 *
 * Arguments: a list of packages as JSON.
 */
const packages: readonly string[] = JSON.parse(process.argv[2] ?? "[]");
// Subtracts the cost of the first import, which every process pays.
await import("../empty.js");
const cpu = process.cpuUsage();
const since = performance.now();
await Promise.all(packages.map((name) => import(name)));
const ms = performance.now() - since;
const { user, system } = process.cpuUsage(cpu);
const rssMiB = process.memoryUsage.rss() / 1024 ** 2;
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, rssMiB }));
process.exit(0);
