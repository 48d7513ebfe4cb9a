import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readLoginTimes } from "./lastlog.js";
import type { HostUser } from "./user-database.js";

/** Evidence that an account was used. */
export type Evidence = "login" | "home" | "mail";

export interface Activity {
  readonly user: HostUser;
  readonly evidence: Evidence;
  readonly time: Date;
}

/** Mail spools of different systems. */
const SPOOLS = ["var/mail", "var/spool/mail"];

/**
 * Finds when the login record, the home directory and the mail spool of each account were last written. Files that are
 * missing or unreadable are skipped.
 * @param root directory that replaces `/`
 */
export async function findActivity(users: readonly HostUser[], root: string): Promise<Activity[]> {
  const logins = await readLoginTimes(
    join(root, "var/log/lastlog"),
    users.map(({ uid }) => uid),
  );
  const traces = await Promise.all(
    users.map(async (user): Promise<Activity[]> => {
      const times: readonly (readonly [Evidence, Date | undefined])[] = [
        ["login", logins.get(user.uid)],
        ["home", await homeTime(user, root)],
        ["mail", await mailTime(user, root)],
      ];
      return times.flatMap(([evidence, time]) => (time === undefined ? [] : [{ user, evidence, time }]));
    }),
  );
  return traces.flat();
}

/** System accounts share homes such as `/bin`, so only a home that the account owns is evidence. */
async function homeTime({ home, uid }: HostUser, root: string): Promise<Date | undefined> {
  if (!home.startsWith("/")) return undefined;
  const found = await statIfPresent(join(root, home));
  return found?.isDirectory() && found.uid === uid ? found.mtime : undefined;
}

async function mailTime({ name }: HostUser, root: string): Promise<Date | undefined> {
  if (basename(name) !== name) return undefined;
  for (const spool of SPOOLS) {
    const found = await statIfPresent(join(root, spool, name));
    if (found?.isFile()) return found.mtime;
  }
  return undefined;
}

async function statIfPresent(path: string): Promise<Stats | undefined> {
  return await stat(path).catch(() => undefined);
}
