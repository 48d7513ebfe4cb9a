import type { Figures } from "./comparison.js";

/** Checks the figures that a process printed. */
export function toFigures(value: unknown): Figures {
  if (typeof value !== "object" || value === null) throw new Error("The process printed no figures.");
  const figures: Record<string, number> = {};
  for (const [name, figure] of Object.entries(value)) {
    if (typeof figure !== "number") throw new Error(`The figure ${name} is no number.`);
    figures[name] = figure;
  }
  return figures;
}
