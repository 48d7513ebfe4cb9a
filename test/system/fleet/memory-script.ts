/** A worker that imports this collects its garbage on SIGUSR2, and then prints its heap in MiB. */
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  process.stderr.write(`${process.memoryUsage().heapUsed / 2 ** 20}\n`);
});
