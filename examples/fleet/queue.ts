import { PgBoss } from "pg-boss";

/** An installation of the fleet; this is also the data of its jobs. */
export interface Installation {
  readonly id: string;
  /** Installations of one vendor share its rate limit. */
  readonly vendor: string;
  /** Where the vendor serves its export. */
  readonly source: string;
  /** Such as `15 3 * * *`. */
  readonly cron: string;
  /** Set by a person, because a first run has nothing to compare with. */
  readonly isNew?: boolean;
}

export const QUEUE = "sync";
/** Queue of jobs that a person has to fix. `boss.redrive` brings a job back. */
const DEAD = "sync-dead";

/** Starts pg-boss on the database of PGHOST, PGDATABASE and so on. */
export async function startBoss(): Promise<PgBoss> {
  // The queue notices a dead worker after 10 to 15 seconds; by then, another run can release its lock.
  const boss = new PgBoss({ max: 4, superviseIntervalSeconds: 2, monitorIntervalSeconds: 2 });
  boss.on("error", (error) => console.error(JSON.stringify({ event: "queue", message: error.message })));
  await boss.start({ attempts: 10 });
  await boss.createQueue(DEAD);
  await boss.createQueue(QUEUE, {
    // At most one job per installation waits or runs, no matter how many schedulers there are.
    policy: "exclusive",
    heartbeatSeconds: 10,
    // A run may extract for hours; the default is 15 minutes.
    expireInSeconds: 6 * 60 * 60,
    retryLimit: 12,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 60 * 60,
    deadLetter: DEAD,
  });
  return boss;
}

/** Schedules an installation's job by its cron line, and replaces an earlier schedule with the same key. */
export function schedule(boss: PgBoss, installation: Installation): Promise<void> {
  const { id, cron } = installation;
  return boss.schedule(QUEUE, cron, installation, { key: id, ...optionsOf(installation) });
}

/** Starts an installation's job now, unless one is waiting or running. */
export function startNow(boss: PgBoss, installation: Installation): Promise<string | null> {
  return boss.send(QUEUE, installation, optionsOf(installation));
}

function optionsOf({ id, vendor }: Installation) {
  return { singletonKey: id, group: { id: vendor } };
}
