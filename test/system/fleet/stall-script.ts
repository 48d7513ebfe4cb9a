/** A worker that imports this stops once: after claiming a job, just before the touch that starts it. */
import pg from "pg";

let hasStalled = false;
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(query, client, args: unknown[]) {
    if (!hasStalled && /SET heartbeat_on/.test(String(args[0]))) {
      hasStalled = true;
      process.kill(process.pid, "SIGSTOP");
    }
    return Reflect.apply(query, client, args);
  },
});
