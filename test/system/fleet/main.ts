/**
 * A fleet of installations under SIGKILLs, a restart of the database and two schedulers.
 *
 *     npm run fleet -- [installations] [kills] [seed]
 */
import { chaos } from "./chaos.js";
import { Fleet } from "./fleet.js";

const [installations = 400, kills = 100, seed = 7] = process.argv.slice(2).map(Number);
const fleet = await Fleet.start(installations, 20);
try {
  console.log(await chaos(fleet, { kills, mostPauseMs: 1500, seed }));
} finally {
  await fleet.close();
}
