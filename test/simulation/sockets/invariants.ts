import { violations } from "../invariants.js";
import type { SimulatedOverSockets } from "./simulate.js";

/** The violations of a program over sockets: those of any program, and those of the server and the sockets. */
export function socketViolations(simulated: SimulatedOverSockets): readonly string[] {
  const { differences, left } = simulated;
  // Once the model has gone another way than the server, what is held against it says nothing.
  if (differences.length > 0) return differences;
  return [...violations(simulated), ...left];
}
