/**
 * Draws records for the block encoders, thousands in a second: most of them plain, some with what ends a block, or with
 * what the encoders of single records refuse.
 */
import type { FieldsModel, FieldType, Model, RecordModel } from "../../codegen/model.js";
import { conditionOf } from "../../codegen/model.js";
import { enumLiterals } from "../../codegen/names.js";
import { ODD_RECORDS, oddText } from "./odd-records.js";

/** Returns whole numbers below a limit. */
export type Draw = (below: number) => number;

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** How records of a list are: one in so many texts is odd, and one in so many records, lists and maps. */
export interface Style {
  readonly oddText: number;
  readonly oddRecord: number;
  readonly hugeList: number;
}

const LETTERS = Array.from({ length: 4096 }, (_, i) => String.fromCharCode((i * 37 + (i >> 7)) % 128)).join(
  "",
);
/** Lengths at which copying goes another way, and a message's length takes another byte. */
const EDGES = [
  0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 100, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
];

export class RecordDraw {
  readonly #draw: Draw;
  readonly #style: Style;

  constructor(draw: Draw, style: Style) {
    this.#draw = draw;
    this.#style = style;
  }

  record({ generic, variants }: RecordModel): unknown {
    const draw = this.#draw;
    const variant = variants[draw(4 * (variants.length + 1))];
    const record = variant ? { [variant.name]: this.#fields(variant.model) } : this.#fields(generic.model);
    const odd = ODD_RECORDS[draw(ODD_RECORDS.length * this.#style.oddRecord)];
    return odd === undefined ? record : odd(record);
  }

  #fields(model: FieldsModel): Record<string, unknown> {
    const draw = this.#draw;
    const { fields, completeGroups } = model;
    const group = completeGroups[draw(completeGroups.length)] ?? [];
    const isGrouped = (name: string) => completeGroups.some((names) => names.includes(name));
    const record: Record<string, unknown> = {};
    for (const { name, type, required, requiredWhen } of fields) {
      const isSet = required || group.includes(name) || (requiredWhen && conditionOf(model, requiredWhen));
      if (!isSet && (isGrouped(name) || draw(4) === 0)) {
        if (draw(8) === 0) record[name] = draw(2) === 0 ? null : undefined;
      } else {
        const value = this.#value(type);
        record[name] = required && value === "" ? "x" : value;
      }
    }
    return record;
  }

  #value(type: FieldType): unknown {
    const draw = this.#draw;
    switch (type.kind) {
      case "string":
        if (type.format === "any") return this.#text();
        if (type.format === "currency") return draw(2) === 0 ? "EUR" : "USD";
        return `${draw(2) === 0 ? "-" : ""}${draw(10_000)}${draw(2) === 0 ? ".25" : ""}`;
      case "bool":
        return draw(2) === 0;
      case "int32":
        return pick(draw, [draw(100), draw(2 ** 31), -draw(2 ** 31), 0, -1, 2 ** 31 - 1, -(2 ** 31)]);
      case "uint32":
        return pick(draw, [draw(100), draw(2 ** 32), 0, 2 ** 32 - 1]);
      case "int64":
        return pick(draw, [
          draw(1000),
          -draw(2 ** 32) * 2 ** 20,
          2 ** 53 - 1,
          -(2n ** 63n),
          BigInt(draw(99)),
          -1,
        ]);
      case "uint64":
        return pick(draw, [draw(1000), draw(2 ** 32) * 2 ** 20, 2 ** 53 - 1, 2n ** 64n - 1n, 0]);
      case "timestamp":
        return this.#moment();
      case "strings":
        return this.#texts();
      case "stringMap":
        return this.#map();
      case "enum":
        return pick(draw, enumLiterals(type.type)).literal;
      case "message":
        return this.#message(type.model);
    }
  }

  #message(model: Model): unknown {
    if (model.kind === "fields") return this.#fields(model);
    const { name, model: fields } = pick(this.#draw, model.variants);
    return { [name]: this.#fields(fields) };
  }

  #moment(): unknown {
    const draw = this.#draw;
    const date = new Date((draw(2 ** 32) - 2 ** 31) * (draw(2) === 0 ? 1000 : 333));
    return pick(draw, [
      date,
      date.toISOString(),
      "2026-01-31T09:30:00.25+01:00",
      new Date(-draw(2000)),
      new Date(0),
    ]);
  }

  /** Thousands of texts are short, so that a block holds them. */
  #texts(): string[] {
    const length = this.#count();
    return Array.from({ length }, () => (length > 4 ? this.#text().slice(0, 1) : this.#text()));
  }

  #map(): object {
    const length = this.#count();
    if (length > 4) return Object.fromEntries(Array.from({ length: length / 2 }, (_, i) => [`${i}`, "x"]));
    return Object.fromEntries(
      Array.from({ length }, () => [this.#text().slice(0, 30), this.#text().slice(-90)]),
    );
  }

  #count(): number {
    const draw = this.#draw;
    return draw(this.#style.hugeList) === 0 ? 3500 + draw(1000) : draw(4);
  }

  #text(): string {
    const draw = this.#draw;
    if (draw(this.#style.oddText) === 0) return oddText(draw, this.#letters());
    return this.#letters();
  }

  #letters(): string {
    const draw = this.#draw;
    const length = draw(16) === 0 ? pick(draw, EDGES) : draw(30);
    const from = draw(LETTERS.length - length);
    return LETTERS.slice(from, from + length);
  }
}

export function pick<T>(draw: Draw, choices: readonly T[]): T {
  const chosen = choices[draw(choices.length)];
  if (chosen === undefined) throw new Error("There is nothing to choose from.");
  return chosen;
}
