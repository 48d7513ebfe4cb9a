import type { Exchange } from "../../../src/testing/kit/cassette/cassette.js";
import { byToken } from "./recordings/by-token.js";

export const DAY = "2026-05-04";

/** The text of a cassette. */
export function cassetteOf(days: Readonly<Record<string, readonly Exchange[]>>): string {
  const recorded = Object.entries(days).map(([day, exchanges]) => ({
    day,
    startedAt: `${day}T02:00:00.000Z`,
    exchanges,
  }));
  return JSON.stringify({ version: 1, days: recorded });
}

/** Three pages of users; the last one is too small for the guard. */
export function users(count = 23): readonly Exchange[] {
  return byToken(count).filter(({ request }) => request.url.includes("/users"));
}
