import type { Exchange } from "../../../src/testing/kit/cassette/cassette.js";
import { byToken } from "./recordings/by-token.js";

/** The text of a cassette. */
export function cassetteOf(...runs: readonly (readonly Exchange[])[]): string {
  const recorded = runs.map((exchanges, i) => ({ startedAt: `2026-05-0${i + 1}T02:00:00.000Z`, exchanges }));
  return JSON.stringify({ version: 2, salt: "", kept: [], runs: recorded });
}

/** Three pages of users; the last one is too small for the guard. */
export function users(count = 23): readonly Exchange[] {
  return byToken(count).filter(({ request }) => request.url.includes("/users"));
}
