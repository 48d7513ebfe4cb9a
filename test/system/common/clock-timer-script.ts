/**
 * Asks a clock to call back, does nothing else, and prints `called` when it is called. Arguments: clock, ms, keepAlive.
 */
import { systemClock } from "../../../src/core/clock.js";
import { TestClock } from "../../../src/reference-server/test-clock.js";

const [name, ms, keepAlive] = process.argv.slice(2);
const clock = name === "system" ? systemClock : new TestClock();
clock.after(Number(ms), () => process.stdout.write("called"), { keepAlive: keepAlive === "true" });
