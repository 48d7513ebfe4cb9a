/**
 * Writes one function for each collection, after the encoders. The function encodes plain records of an array in one
 * loop. It keeps its state in variables: `b` is the message, `p` the next position, `s` all string values so far, and
 * `m` how many there are.
 *
 * The loop handles only what the encoder of single records would take as a short ASCII string, a number, a boolean or a
 * time. Any other value ends the block with `break`: see src/sync/encoding/record-block.ts.
 */
import type { GeneratedFile } from "@bufbuild/protoplugin";
import type { Collection, Contract, Field, FieldsModel, Model, VariantModel } from "./model.js";
import {
  type Code,
  conditions,
  encoderName,
  inOrder,
  isAbsent,
  LENGTH_DELIMITED,
  rule,
  tagOf,
  wireTypeOf,
  writerMethod,
} from "./write-encoders.js";

const KEY_TAG = 10;
const VALUE_TAG = 18;

export function writeBlocks(file: GeneratedFile, { collections }: Contract): void {
  for (const collection of collections) new BlockFunction(file, collection).write();
  file.print();
  file.print("/** For each collection, an encoder that takes many plain records at a time. */");
  file.print("export const BLOCK_ENCODERS = {");
  for (const { name } of collections) file.print(`  ${name}: ${functionName(name)},`);
  file.print("};");
}

function functionName(collection: string): string {
  return `${collection}Block`;
}

class BlockFunction {
  readonly #file: GeneratedFile;
  readonly #collection: Collection;
  readonly #lines: Code[] = [];
  #indent = "    ";
  #messages = 0;
  /** Number of string values in a record, not counting those in lists. */
  #texts = 0;

  constructor(file: GeneratedFile, collection: Collection) {
    this.#file = file;
    this.#collection = collection;
  }

  write(): void {
    const { name, record, recordsNumber, isFlat } = this.#collection;
    const model = isFlat ? record.generic.model : record;
    this.#message(tagOf(recordsNumber, LENGTH_DELIMITED), "record", model);
    const file = this.#file;
    const encoding = (symbol: string, module: string, typeOnly: boolean) =>
      file.import(symbol, `../encoding/${module}.js`, typeOnly);
    const widths = Array.from({ length: this.#messages }, (_, i) => `w${i + 1} = 1`);
    file.print();
    file.print(`function ${functionName(name)}(`);
    file.print("  block: ", encoding("RecordBlock", "record-block", true), ",");
    file.print("  to: ", encoding("RecordWriter", "record-writer", true), ",");
    file.print("  records: readonly unknown[],");
    file.print("  from: number,");
    file.print("  most: number,");
    file.print("): void {");
    file.print("  const { starts, places, limit } = block;");
    file.print("  const b = to.buffer;");
    file.print("  const texts = ", encoding("BLOCK_TEXTS", "record-block", false), ` - ${this.#texts};`);
    file.print(`  let p = to.position, m = 0, s = "", k = 0, count = 0, text = "", ${widths.join(", ")};`);
    file.print("  records: for (; k < most && m < texts; k += 1) {");
    file.print("    const record = records[from + k];");
    for (const line of this.#lines) file.print(...line);
    file.print("    if (p > limit || to.buffer !== b) break;");
    file.print("    starts[k + 1] = p;");
    file.print("    count = m;");
    file.print("    text = s;");
    file.print("  }");
    file.print("  block.wrote(k, text, count);");
    file.print("}");
  }

  /** A message whose fields are in their own object. */
  #message(tag: number, value: string, model: Model): void {
    this.#unless([`${encoderName(model.message)}.names.areAllOf(${value})`]);
    this.#fields(tag, value, model);
  }

  #fields(tag: number, value: string, model: Model): void {
    this.#messages += 1;
    const id = this.#messages;
    this.#tag(tag);
    this.#line(`const at${id} = p;`);
    this.#line(`p += w${id};`);
    if (model.kind === "fields") this.#plainFields(value, model, id);
    else this.#variants(value, model, id);
    this.#line(`if (w${id} === 1 && p - at${id} <= 0x80) b[at${id}] = p - at${id} - 1;`);
    this.#open("else {");
    this.#line(`const width = block.close(b, at${id}, w${id}, p, m);`);
    this.#line(`p += width - w${id};`);
    this.#line(`w${id} = width;`);
    this.#close();
  }

  #plainFields(value: string, model: FieldsModel, id: number): void {
    const named = (field: string) => `${field}$${id}`;
    const variables = model.fields.map(({ name }) => `${name}: ${named(name)}`);
    this.#line(`const { ${variables.join(", ")} } = ${value};`);
    for (const condition of conditions(this.#file, model, named)) this.#unless(condition);
    for (const field of inOrder(model)) {
      const { name, required } = field;
      if (!required) this.#open(`if (!(${isAbsent(named(name))})) {`);
      this.#field(field, named(name));
      if (!required) this.#close();
    }
  }

  #variants(value: string, { generic, variants }: VariantModel, id: number): void {
    const named = (name: string) => `${name}$${id}`;
    if (variants.length === 0) {
      if (generic) this.#fields(tagOf(generic.number, LENGTH_DELIMITED), value, generic.model);
      return;
    }
    this.#line(`const { ${variants.map(({ name }) => `${name}: ${named(name)}`).join(", ")} } = ${value};`);
    if (generic !== undefined) {
      this.#open(`if (${variants.map(({ name }) => `${named(name)} == null`).join(" && ")}) {`);
      this.#fields(tagOf(generic.number, LENGTH_DELIMITED), value, generic.model);
      this.#close("} else {");
      this.#indent += "  ";
    }
    const names = variants.map(({ name }) => `, "${name}"`).join("");
    this.#unless([rule(this.#file, "onlyOne"), `(${value}${names})`]);
    for (const { name, number, model } of variants) {
      this.#open(`if (!(${isAbsent(named(name))})) {`);
      this.#message(tagOf(number, LENGTH_DELIMITED), named(name), model);
      this.#close();
    }
    if (generic !== undefined) this.#close();
  }

  #field({ number, type, required }: Field, value: string): void {
    const tag = tagOf(number, wireTypeOf(type));
    switch (type.kind) {
      case "string":
        this.#unless([`typeof ${value} === "string"`]);
        if (type.format !== "any")
          this.#unless([...writerMethod(this.#file, type, required).slice(1), `.test(${value})`]);
        else if (required) this.#unless([`${value} !== ""`]);
        this.#texts += 1;
        this.#text(tag, value);
        break;
      case "bool":
        this.#unless([`typeof ${value} === "boolean"`]);
        this.#tag(tag);
        this.#line(`b[p++] = ${value} ? 1 : 0;`);
        break;
      case "strings":
        this.#strings(tag, value);
        break;
      case "stringMap":
        this.#stringMap(tag, value);
        break;
      case "message":
        this.#message(tag, value, type.model);
        break;
      default: {
        const [method, ...more] = writerMethod(this.#file, type, required);
        this.#line("to.position = p;");
        this.#unless([`to.${method}(${tag}, ${value}`, ...more.flatMap((arg) => [", ", arg]), ")"]);
        this.#line("p = to.position;");
      }
    }
  }

  #text(tag: number, value: string): void {
    this.#unless([`${value}.length <= `, this.#import("TEXT_LETTERS", "record-block")]);
    this.#tag(tag);
    this.#line(`b[p] = ${value}.length;`);
    this.#line("places[m++] = p += 1;");
    this.#line(`p += ${value}.length;`);
    this.#line(`s += ${value};`);
  }

  #strings(tag: number, value: string): void {
    this.#unless([`Array.isArray(${value})`]);
    this.#line(`const list: readonly unknown[] = ${value};`);
    this.#open("for (let i = 0; i < list.length; i += 1) {");
    this.#line("const entry = list[i];");
    this.#unless(['typeof entry === "string" && m < texts']);
    this.#text(tag, "entry");
    this.#close();
  }

  /** An entry of a map is a message whose length takes one byte. */
  #stringMap(tag: number, value: string): void {
    this.#unless([this.#import("isPlainObject", "../../core/validate"), `(${value})`]);
    this.#open(`for (const key of Object.keys(${value})) {`);
    this.#line(`const entry = ${value}[key];`);
    this.#unless([
      'typeof entry === "string" && key.length + entry.length + 4 <= ',
      this.#import("TEXT_LETTERS", "record-block"),
      " && m + 1 < texts",
    ]);
    this.#tag(tag);
    this.#line("const entryAt = p++;");
    for (const [part, partTag] of [
      ["key", KEY_TAG],
      ["entry", VALUE_TAG],
    ] as const) {
      this.#open(`if (${part} !== "") {`);
      this.#text(partTag, part);
      this.#close();
    }
    this.#line("b[entryAt] = p - entryAt - 1;");
    this.#close();
  }

  #tag(tag: number): void {
    let rest = tag;
    for (; rest >= 0x80; rest >>>= 7) this.#line(`b[p++] = ${(rest & 0x7f) | 0x80};`);
    this.#line(`b[p++] = ${rest};`);
  }

  #unless(condition: Code): void {
    this.#line("if (!(", ...condition, ")) break records;");
  }

  #open(code: string): void {
    this.#line(code);
    this.#indent += "  ";
  }

  #close(code = "}"): void {
    this.#indent = this.#indent.slice(2);
    this.#line(code);
  }

  #line(...code: Code): void {
    this.#lines.push([this.#indent, ...code]);
  }

  #import(name: string, module: string) {
    return this.#file.import(name, module.startsWith(".") ? `${module}.js` : `../encoding/${module}.js`);
  }
}
