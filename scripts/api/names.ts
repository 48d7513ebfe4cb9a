import ts from "typescript";
import { type Entry, ROOT } from "./entries.js";

/** Maximum number of names that all entries together may export. */
export const MAX_NAMES = 150;

/** An exported name of the package; a name that several entries export counts once. */
export interface PublicName {
  readonly name: string;
  /** Specifiers of the entries that export the name. */
  readonly entries: string[];
  /** Whether the name exists at run time. */
  readonly isValue: boolean;
  readonly symbol: ts.Symbol;
}

/** Reads the names that the entries' declarations export. */
export function publicNames(entries: readonly Entry[]): readonly PublicName[] {
  const { checker, modules } = readModules(entries);
  const names = new Map<ts.Symbol, PublicName>();
  for (const { entry, module } of modules) {
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = resolve(checker, exported);
      const known = names.get(symbol);
      if (known === undefined) {
        const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(exported);
        names.set(symbol, { name: exported.name, entries: [entry.specifier], isValue, symbol });
      } else known.entries.push(entry.specifier);
    }
  }
  return [...names.values()];
}

/** The names in `from`, and those that their signatures reach, even through types that aren't exported. */
export function reachableNames(names: readonly PublicName[], from: readonly PublicName[]): Set<string> {
  const checker = checkerOf();
  const visited = new Set<ts.Symbol>();
  const visitSymbol = (symbol: ts.Symbol): void => {
    if (visited.has(symbol)) return;
    visited.add(symbol);
    for (const node of symbol.declarations ?? []) {
      if (node.getSourceFile().fileName.startsWith(`${ROOT}src/`)) visitNode(node);
    }
  };
  const visitNode = (node: ts.Node): void => {
    if (ts.isBlock(node) || (ts.isClassElement(node) && isPrivate(node))) return;
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined) visitSymbol(resolve(checker, symbol));
    ts.forEachChild(node, visitNode);
  };
  for (const { symbol } of from) visitSymbol(symbol);
  return new Set(names.filter(({ symbol }) => visited.has(symbol)).map(({ name }) => name));
}

let program: ts.Program | undefined;

function readModules(entries: readonly Entry[]) {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  program ??= ts.createProgram(
    entries.map(({ source }) => ROOT + source),
    options,
  );
  const checker = program.getTypeChecker();
  const modules = entries.map((entry) => {
    const file = program?.getSourceFile(ROOT + entry.source);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry.source} exports nothing.`);
    return { entry, module };
  });
  return { checker, modules };
}

function checkerOf(): ts.TypeChecker {
  if (program === undefined) throw new Error("Read the names first.");
  return program.getTypeChecker();
}

function isPrivate({ name }: ts.ClassElement): boolean {
  return name !== undefined && ts.isPrivateIdentifier(name);
}

function resolve(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function isTypeOnly(exported: ts.Symbol): boolean {
  return (exported.declarations ?? []).some((node) => ts.isTypeOnlyImportOrExportDeclaration(node));
}
