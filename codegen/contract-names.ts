import type { DescEnum, DescEnumValue, DescField, DescMessage, FileRegistry } from "@bufbuild/protobuf";

/** The variant whose fields users write into the record itself. */
export const GENERIC = "generic";

/** The SDK's names for the parts of a contract. */
export class Names {
  readonly #names: Readonly<Record<string, string>>;

  /** @param names See `Mapping.names`. */
  constructor(names: Readonly<Record<string, string>>) {
    this.#names = names;
  }

  type(desc: DescMessage | DescEnum): string {
    return this.#names[contractName(desc)] ?? contractName(desc).replaceAll(".", "");
  }

  field(field: DescField): string {
    return this.#names[`${contractName(field.parent)}.${field.name}`] ?? field.name;
  }

  value(value: DescEnumValue): string {
    return this.#names[`${contractName(value.parent)}.${value.name}`] ?? value.name;
  }

  /** The names without a target. */
  unmet(registry: FileRegistry): readonly string[] {
    const known = new Set<string>();
    for (const desc of registry) {
      if (desc.kind !== "message" && desc.kind !== "enum") continue;
      const name = contractName(desc);
      const parts = desc.kind === "enum" ? desc.values : desc.fields;
      known.add(name);
      for (const part of parts) known.add(`${name}.${part.name}`);
    }
    const unmet = Object.keys(this.#names).filter((name) => !known.has(name));
    return unmet.map((name) => `contract/mapping.ts: names: the contract has no ${name}; delete this line`);
  }
}

/** A name without its package, as in `Mapping.names`. */
function contractName(desc: DescMessage | DescEnum): string {
  const { package: packageName } = desc.file.proto;
  return packageName === "" ? desc.typeName : desc.typeName.slice(packageName.length + 1);
}
