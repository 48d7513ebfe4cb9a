import { violations } from "../invariants.js";
import type { SimulatedOverSockets } from "./simulate.js";

/** The violations of a program over sockets: those of any program, and those of the server and the sockets. */
export function socketViolations(simulated: SimulatedOverSockets): string[] {
  const { differences, left, missed } = simulated;
  return [...violations(simulated), ...differences, ...missed, ...left];
}
