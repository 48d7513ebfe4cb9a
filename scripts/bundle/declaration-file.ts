import { readFileSync } from "node:fs";
import ts from "typescript";

/** Every exported name. */
export const ALL = "*";

/** A line to keep, with its number in tsc's file; a rewritten line has no number. */
interface Line {
  readonly text: string;
  readonly number?: number;
}

/** Marks a name of an imported file as needed. Returns whether that file exports the name. */
export type NeedOf = (specifier: string, name: string) => boolean;

/** A declaration file of tsc, reduced to what is needed. */
export class DeclarationFile {
  readonly #source: ts.SourceFile;
  readonly #needOf: NeedOf;
  /** Statements to keep; for imports and exports, the names to keep. */
  readonly #kept = new Map<ts.Statement, Set<ts.Node>>();
  readonly #asked = new Map<string, boolean>();

  constructor(path: string, needOf: NeedOf) {
    this.#source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ESNext, true);
    this.#needOf = needOf;
  }

  /** Keeps an exported name and everything it refers to. Returns whether the file exports the name. */
  need(name: string): boolean {
    const known = this.#asked.get(name);
    if (known !== undefined) return known;
    this.#asked.set(name, false);
    const found = this.#source.statements.map((statement) => this.#needIn(statement, name)).includes(true);
    this.#asked.set(name, found);
    return found;
  }

  lines(): readonly Line[] {
    const { text, statements } = this.#source;
    const all = text.split("\n");
    const lineOf = (position: number) => this.#source.getLineAndCharacterOfPosition(position).line;
    let end = -1;
    const kept = statements.flatMap((statement): Line[] => {
      const [comment] = ts.getLeadingCommentRanges(text, statement.pos) ?? [];
      const first = Math.max(end + 1, lineOf(comment?.pos ?? statement.getStart()));
      end = lineOf(statement.end);
      const names = this.#kept.get(statement);
      if (names === undefined && !isEmptyExport(statement)) return [];
      const shorter = names && withNames(statement, names);
      if (shorter !== undefined) return [{ text: shorter }];
      return all.slice(first, end + 1).map((line, index) => ({ text: line, number: first + index }));
    });
    // Directives such as a reference to the library that `await using` needs.
    const directives = all.flatMap((line, number) =>
      line.startsWith("/// <") ? [{ text: line, number }] : [],
    );
    return [...directives.filter(({ number }) => !kept.some((line) => line.number === number)), ...kept];
  }

  #needIn(statement: ts.Statement, name: string): boolean {
    if (ts.isExportDeclaration(statement)) return this.#needExport(statement, name);
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!exported || !(name === ALL || namesOf(statement).includes(name))) return false;
    this.#keep(statement);
    return true;
  }

  #needExport(statement: ts.ExportDeclaration, name: string): boolean {
    const { exportClause, moduleSpecifier } = statement;
    const specifier =
      moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
    if (exportClause === undefined) {
      const found = specifier !== undefined && this.#needOf(specifier, name);
      if (found) this.#keepName(statement);
      return found;
    }
    if (!ts.isNamedExports(exportClause))
      throw new Error(`${this.#source.fileName}: "export * as" is not expected.`);
    const wanted = exportClause.elements.filter((element) => name === ALL || element.name.text === name);
    for (const element of wanted) {
      const { text } = element.propertyName ?? element.name;
      this.#keepName(statement, element);
      if (specifier === undefined) this.#needLocal(text);
      else this.#needOf(specifier, text);
    }
    return wanted.length > 0;
  }

  #needLocal(name: string): void {
    for (const statement of this.#source.statements) {
      if (ts.isImportDeclaration(statement)) this.#needImport(statement, name);
      else if (namesOf(statement).includes(name)) this.#keep(statement);
    }
  }

  #needImport(statement: ts.ImportDeclaration, name: string): void {
    const { importClause, moduleSpecifier } = statement;
    if (importClause === undefined || !ts.isStringLiteral(moduleSpecifier)) return;
    const { namedBindings } = importClause;
    if (importClause.name?.text === name) {
      this.#keepName(statement, importClause.name);
      this.#needOf(moduleSpecifier.text, "default");
    }
    if (namedBindings === undefined) return;
    if (ts.isNamespaceImport(namedBindings)) {
      if (namedBindings.name.text !== name) return;
      this.#keepName(statement, namedBindings);
      this.#needOf(moduleSpecifier.text, ALL);
      return;
    }
    for (const element of namedBindings.elements.filter((it) => it.name.text === name)) {
      this.#keepName(statement, element);
      this.#needOf(moduleSpecifier.text, (element.propertyName ?? element.name).text);
    }
  }

  #keepName(statement: ts.Statement, ...names: readonly ts.Node[]): void {
    const kept = this.#kept.get(statement) ?? new Set();
    this.#kept.set(statement, kept);
    for (const name of names) kept.add(name);
  }

  #keep(statement: ts.Statement): void {
    if (this.#kept.has(statement)) return;
    this.#kept.set(statement, new Set());
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) this.#needLocal(node.text);
      if (
        ts.isImportTypeNode(node) &&
        ts.isLiteralTypeNode(node.argument) &&
        ts.isStringLiteral(node.argument.literal)
      ) {
        const [first = ALL] = node.qualifier?.getText().split(".") ?? [];
        this.#needOf(node.argument.literal.text, first);
      }
      node.forEachChild(visit);
    };
    statement.forEachChild(visit);
  }
}

/** Without `export {}`, a file that exports nothing would export all its declarations. */
function isEmptyExport(statement: ts.Statement): boolean {
  if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return false;
  return ts.isNamedExports(statement.exportClause) && statement.exportClause.elements.length === 0;
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = ts.isDeclarationStatement(statement) ? statement : {};
  return name === undefined ? [] : [name.getText()];
}

/** The text of an import or export with only the needed names; undefined if the text stays as it is. */
function withNames(statement: ts.Statement, names: ReadonlySet<ts.Node>): string | undefined {
  const list = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined;
  if (list === undefined || !(ts.isNamedImports(list) || ts.isNamedExports(list))) return undefined;
  const kept = [...list.elements].filter((element) => names.has(element));
  if (kept.length === list.elements.length) return undefined;
  const [before, after] = statement.getText().split(list.getText());
  return `${before}{ ${kept.map((element) => element.getText()).join(", ")} }${after}`;
}
