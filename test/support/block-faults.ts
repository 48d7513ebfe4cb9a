/** Faults of the block encoders, one line each, and the code with one of them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BlockCode } from "./block-check.js";

export interface BlockFault {
  readonly name: string;
  readonly file: keyof typeof FILES;
  readonly right: string;
  readonly wrong: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const FILES = {
  "record-block": join(root, "src/sync/encoding/record-block.ts"),
  "message-builder": join(root, "src/sync/encoding/message-builder.ts"),
  encoders: join(root, "src/sync/generated/encoders.ts"),
} as const;

const inBlock = (name: string, right: string, wrong: string) =>
  ({ name, file: "record-block", right, wrong }) as const;
const inEncoders = (name: string, right: string, wrong: string) =>
  ({ name, file: "encoders", right, wrong }) as const;

export const BLOCK_FAULTS: readonly BlockFault[] = [
  inBlock("texts take lengths of two bytes", "TEXT_LETTERS = 127", "TEXT_LETTERS = 200"),
  inBlock("texts stay when a message is moved", "place + needed - width", "place"),
  inBlock("texts before a message move with it", "if (place < start) break;", ""),
  inBlock("the last letters of a text are lost", "const last = end - 8;", "const last = start;"),
  inBlock("letters beyond ASCII pass", "if (texts.write(text) !== ascii)", "if (texts.write(text) < 0)"),
  inBlock("the first record with them stays", "return record;", "return record + 1;"),
  inBlock("the position is not restored", "    to.position = start;\n", ""),
  inBlock("a block begins at the old place", "this.starts[0] = start;", ""),
  inEncoders("a message takes more than its size", "if (p > limit || to.buffer", "if (to.buffer"),
  inBlock("bytes are written past the buffer", "buffer.length - SPARE_BYTES", "buffer.length + SPARE_BYTES"),
  inEncoders("there are more texts than places", "BLOCK_TEXTS - ", "2 * BLOCK_TEXTS - "),
  inEncoders("unknown fields are left out", ".names.areAllOf(record)", ".names !== undefined"),
  inEncoders("a number is written over", "p = to.position;\n", "\n"),
  {
    name: "a gap is left where a record is left out",
    file: "message-builder",
    right: "buffer.copyWithin(kept, start, end)",
    wrong: "{}",
  },
];

/** @throws Error the code has changed */
export async function withFault({ name, file, right, wrong }: BlockFault): Promise<BlockCode> {
  const directory = join(root, "build/block-faults", name.replaceAll(" ", "-"));
  mkdirSync(directory, { recursive: true });
  for (const [part, path] of Object.entries(FILES)) {
    const source = readFileSync(path, "utf8");
    if (part === file && !source.includes(right)) throw new Error(`${part} has no ${right}`);
    const code = part === file ? source.replaceAll(right, wrong) : source;
    writeFileSync(join(directory, `${part}.ts`), code.replace(/from "(\..+)\.js"/g, importFrom(path)));
  }
  const { MessageBuilder }: BlockCode = await import(join(directory, "message-builder.ts"));
  const { BLOCK_ENCODERS }: BlockCode = await import(join(directory, "encoders.ts"));
  return { MessageBuilder, BLOCK_ENCODERS };
}

/** Copies import each other, and the rest from where it is. */
function importFrom(path: string) {
  return (_: string, module: string) => {
    const imported = `${join(dirname(path), module)}.ts`;
    const copied = Object.entries(FILES).find(([, file]) => file === imported)?.[0];
    return `from "${copied === undefined ? imported : `./${copied}.js`}"`;
  };
}
