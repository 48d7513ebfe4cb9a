import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A member of a public interface, as the compiler knows it. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  /** Text of the tag `@default`; undefined if the tag is missing. */
  readonly defaultText: string | undefined;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Reads the exports of a module of `src`, including inherited members. */
export class Declarations {
  readonly #checker: ts.TypeChecker;
  readonly #exports: ReadonlyMap<string, ts.Symbol>;

  constructor(module: string) {
    const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram([root + module], options);
    this.#checker = program.getTypeChecker();
    const file = program.getSourceFile(root + module);
    const symbol = file === undefined ? undefined : this.#checker.getSymbolAtLocation(file);
    const exported = symbol === undefined ? [] : this.#checker.getExportsOfModule(symbol);
    this.#exports = new Map(exported.map((it) => [it.name, it]));
  }

  /** The public members of an exported interface or class, including inherited ones. */
  members(name: string): readonly Member[] {
    return this.#membersOf(this.#typeOf(name));
  }

  /** The members of `name.member`, which is an object in an exported interface. */
  membersWithin(name: string, member: string): readonly Member[] {
    const property = this.#typeOf(name).getProperty(member);
    if (property === undefined) throw new Error(`${name} has no ${member}.`);
    const type = this.#checker.getTypeOfSymbol(property);
    const arms = type.isUnion() ? type.types : [type];
    return arms
      .filter((arm) => (arm.flags & ts.TypeFlags.Object) !== 0)
      .flatMap((arm) => this.#membersOf(arm));
  }

  #membersOf(type: ts.Type): readonly Member[] {
    return type
      .getProperties()
      .filter((property) => !isInternal(property))
      .map((property) => {
        const tag = property.getJsDocTags(this.#checker).find((it) => it.name === "default");
        return {
          name: property.name,
          required: (property.flags & ts.SymbolFlags.Optional) === 0,
          defaultText: tag === undefined ? undefined : ts.displayPartsToString(tag.text),
        };
      });
  }

  /** The fields of each collection's records by variant: `flat`, or the name of the variant's only member. */
  variants(name: string): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
    const shapes = this.#typeOf(name)
      .getProperties()
      .map((collection) => {
        const type = this.#checker.getTypeOfSymbol(collection);
        const arms = type.isUnion() ? type.types : [type];
        return [collection.name, new Map(arms.map((arm) => this.#variant(arm)))] as const;
      });
    return new Map(shapes);
  }

  #variant(record: ts.Type): readonly [string, readonly string[]] {
    const fields = this.#fields(record);
    const [field, ...others] = fields;
    return field !== undefined && others.length === 0
      ? [field.name, this.#fields(this.#checker.getTypeOfSymbol(field)).map(shown)]
      : ["flat", fields.map(shown)];
  }

  /** The members of a type, except those that must be `undefined`. */
  #fields(type: ts.Type): readonly ts.Symbol[] {
    const isAbsent = (field: ts.Symbol) =>
      (this.#checker.getTypeOfSymbol(field).flags & ts.TypeFlags.Undefined) !== 0;
    return type.getProperties().filter((field) => !isAbsent(field));
  }

  #typeOf(name: string): ts.Type {
    const symbol = this.#exports.get(name);
    if (symbol === undefined) throw new Error(`${name} is not exported.`);
    const target =
      (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol);
    return this.#checker.getDeclaredTypeOfSymbol(target);
  }
}

/** Reads tags of the declarations, because a symbol's tags include those of an overridden member. */
function isInternal({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((node) =>
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal"),
  );
}

function shown(field: ts.Symbol): string {
  return (field.flags & ts.SymbolFlags.Optional) === 0 ? `**${field.name}**` : field.name;
}
