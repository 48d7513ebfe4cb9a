import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Inspection, type ReferenceServer, startReferenceServer } from "@saas-management/sdk/testing";
import pg from "pg";
import { PostgresServer } from "../../support/postgres.js";
import { startVendor, type Vendor } from "./vendor.js";
import { Workers } from "./workers.js";

const LOOK_MS = 200;
/** After this many checks without progress (at least 5 s), a fleet has stopped. A stalled machine runs no checks. */
const STILL_LOOKS = 25;
const PATIENCE_MS = 120_000;
const LEASE_MS = 15 * 60_000;

/** Everything that a fleet needs, all of it real: a service, a vendor, a database and processes. */
export class Fleet {
  /** Installations whose lock ended with its lease. */
  readonly lostStarts = new Set<string>();

  private constructor(
    readonly server: ReferenceServer,
    readonly vendor: Vendor,
    readonly database: PostgresServer,
    readonly workers: Workers,
    readonly ids: readonly string[],
    readonly folder: string,
  ) {}

  /** @param count Number of installations. @param delayMs How long vendor and service take to answer. */
  static async start(count: number, delayMs: number): Promise<Fleet> {
    const folder = await mkdtemp(join(tmpdir(), "sdk-fleet-"));
    const server = await startReferenceServer();
    const vendor = await startVendor(delayMs);
    const database = new PostgresServer(["max_connections=200"]);
    await database.create();
    server.faults.add({ on: "sync", fault: "delay", ms: delayMs, times: 1_000_000_000 });
    const ids = Array.from({ length: count }, () => server.createInstallation());
    const installations = ids.map((id, index) => ({
      id,
      vendor: `vendor ${index % 4}`,
      source: `${vendor.url}/${id}`,
      cron: "15 3 * * *",
      isNew: true,
    }));
    await writeFile(join(folder, "installations.json"), JSON.stringify(installations));
    const { host, user, database: name } = database.connection;
    const workers = new Workers({
      PGHOST: host,
      PGUSER: user,
      PGDATABASE: name,
      SAAS_MANAGEMENT_SYNC_URL: server.syncUrl,
      SAAS_MANAGEMENT_API_KEY: server.apiKey,
    });
    return new Fleet(server, vendor, database, workers, ids, folder);
  }

  /** Starts a job for each installation, with this many schedulers at once. */
  async schedule(schedulers: number): Promise<void> {
    const file = join(this.folder, "installations.json");
    await Promise.all(Array.from({ length: schedulers }, () => this.workers.run("now", file)));
  }

  /**
   * Resolves when no job waits or runs. If nothing moves, a process was killed after it asked for a batch but before it
   * knew the batch's id. Nobody can abort that batch, so this ends its lease.
   */
  async settled(): Promise<void> {
    let seen = 0;
    let still = 0;
    await this.until(async () => {
      const { length } = this.workers.lines;
      still = length > seen ? 0 : still + 1;
      seen = length;
      const locked = this.ids.filter((id) => this.server.inspect(id).lock !== null);
      if (still > STILL_LOOKS && locked.length > 0) {
        for (const id of locked) this.lostStarts.add(id);
        this.server.clock.advance(LEASE_MS);
        still = 0;
      }
      return (await this.jobs("name = 'sync' AND state < 'completed'")) === 0;
    }, LOOK_MS);
  }

  /** Waits as long as workers print lines. @throws {Error} they have printed none for about two minutes */
  async until(isReached: () => boolean | Promise<boolean>, lookMs = 5): Promise<void> {
    const { lines } = this.workers;
    for (let [seen, still] = [0, 0]; !(await isReached()); still += 1) {
      if (lines.length > seen) [seen, still] = [lines.length, 0];
      if (still > PATIENCE_MS / lookMs) throw new Error("No worker has printed a line for two minutes.");
      await setTimeout(lookMs);
    }
  }

  inspected(): readonly Inspection[] {
    return this.ids.map((id) => this.server.inspect(id));
  }

  /** The number of jobs. */
  async jobs(where: string): Promise<number> {
    // A separate connection, because the database may restart.
    const client = new pg.Client(this.database.connection);
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query(`SELECT count(*) AS jobs FROM pgboss.job WHERE ${where}`);
      return Number(rows[0].jobs);
    } catch {
      return Infinity;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Sentences that say what differs from the source. */
  differences(): readonly string[] {
    const accounts = [...this.vendor.accounts()].sort().join();
    const events = [...this.vendor.events()].sort().join();
    return this.ids.flatMap((id) => {
      const { snapshots, lock } = this.server.inspect(id);
      const present = snapshots.accounts.filter(({ removed }) => !removed).map((record) => record.id);
      const usage = snapshots.usage.map((record) => record.id);
      return [
        ...(present.sort().join() === accounts ? [] : [`${id}: other accounts than its source`]),
        ...(usage.sort().join() === events ? [] : [`${id}: other events than its source`]),
        ...(lock === null ? [] : [`${id}: a lock is left`]),
      ];
    });
  }

  async close(): Promise<void> {
    await this.workers.close();
    await Promise.all([this.server.close(), this.vendor.close(), this.database.close()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}
