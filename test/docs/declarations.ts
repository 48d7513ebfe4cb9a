import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A member of a public interface, as the compiler knows it. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  /** Text of `@default`; undefined where it has none. */
  readonly defaultText: string | undefined;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Reads what a module of `src` exports, with what is inherited. */
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

  /** The members of an exported interface, inherited ones too. */
  members(name: string): readonly Member[] {
    return this.#typeOf(name)
      .getProperties()
      .map((property) => {
        const tag = property.getJsDocTags(this.#checker).find((it) => it.name === "default");
        return {
          name: property.name,
          required: (property.flags & ts.SymbolFlags.Optional) === 0,
          defaultText: tag === undefined ? undefined : ts.displayPartsToString(tag.text),
        };
      });
  }

  /** Of each member of an exported interface, whose type is a union of variants, the members of each variant. */
  variants(name: string): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
    const shapes = this.#typeOf(name)
      .getProperties()
      .map((collection) => {
        const type = this.#checker.getTypeOfSymbol(collection);
        const arms = type.isUnion() ? type.types : [type];
        const variants = arms.flatMap((arm) => arm.getProperties().map((variant) => this.#fields(variant)));
        return [collection.name, new Map(variants.filter(([, fields]) => fields.length > 0))] as const;
      });
    return new Map(shapes);
  }

  #fields(variant: ts.Symbol): readonly [string, readonly string[]] {
    const type = this.#checker.getTypeOfSymbol(variant);
    const fields = type.getProperties().map((field) => {
      const optional = (field.flags & ts.SymbolFlags.Optional) !== 0;
      return optional ? field.name : `**${field.name}**`;
    });
    return [variant.name, fields];
  }

  #typeOf(name: string): ts.Type {
    const symbol = this.#exports.get(name);
    if (symbol === undefined) throw new Error(`${name} is not exported.`);
    const target =
      (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.#checker.getAliasedSymbol(symbol);
    return this.#checker.getDeclaredTypeOfSymbol(target);
  }
}
