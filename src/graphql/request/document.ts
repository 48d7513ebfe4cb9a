import { type DocumentNode, Kind, OperationTypeNode, parse, print, type SelectionNode, visit } from "graphql";
import { InvalidInputError } from "../../core/errors/index.js";

/**
 * A GraphQL document: a string, or a typed document such as a `TypedDocumentNode`, a `TypedDocumentString` or a
 * document of gql.tada, which also types the variables and the data.
 */
export type Document<Data, Variables> =
  | (string & { readonly __apiType?: (variables: Variables) => Data })
  | { readonly __apiType?: (variables: Variables) => Data };

/** What the SDK needs to know about a document. */
export interface Operation {
  /** The document as it's sent. */
  readonly text: string;
  /** For messages: `GraphQL query Licenses`. */
  readonly label: string;
  /** Undefined if the document could not be parsed. */
  readonly kind: "query" | "mutation" | undefined;
  /** Undefined if the operation has no name, or the document could not be parsed. */
  readonly name: string | undefined;
  /** Names of the declared variables; undefined if the document could not be parsed. */
  readonly variables: ReadonlySet<string> | undefined;
}

/** Caches operations by document, because most documents are created once and sent often. */
const parsed = new Map<object | string, Operation>();

/** The cache has limits, because a program may build a new, large document for each request. */
const MAX_PARSED = 100;
const MAX_PARSED_LENGTH = 100_000;

export function readDocument(document: object | string): Operation {
  const known = parsed.get(document);
  if (known !== undefined) return known;
  const operation = parseText(typeof document === "string" ? document : textOf(document));
  if (parsed.size >= MAX_PARSED) parsed.clear();
  if (operation.text.length <= MAX_PARSED_LENGTH) parsed.set(document, operation);
  return operation;
}

function textOf(document: object): string {
  if (typeof document !== "object" || document === null) throw notADocument();
  try {
    return isDocumentNode(document) ? print(document) : String(document);
  } catch {
    throw notADocument();
  }
}

function parseText(text: string): Operation {
  if (text.trim() === "" || text === "[object Object]") throw notADocument();
  let document: DocumentNode;
  try {
    document = parse(text, { noLocation: true });
  } catch {
    // A mistake, or syntax that is newer than the parser: the server decides. The document may be a mutation.
    return { text, label: "GraphQL request", kind: undefined, name: undefined, variables: undefined };
  }
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const [definition] = operations;
  if (definition?.kind !== Kind.OPERATION_DEFINITION || operations.length > 1)
    throw new InvalidInputError(`The document must have exactly one operation; it has ${operations.length}.`);
  const name = definition.name?.value;
  const isSubscription = definition.operation === OperationTypeNode.SUBSCRIPTION;
  const incremental = isSubscription ? "a subscription" : incrementalDirective(document);
  if (incremental !== undefined)
    throw new InvalidInputError(
      `The document has ${incremental}, which the service would answer in parts. Send a query or a mutation without it.`,
    );
  return {
    text,
    label: `GraphQL ${definition.operation}${name === undefined ? "" : ` ${name}`}`,
    kind: definition.operation === OperationTypeNode.QUERY ? "query" : "mutation",
    name,
    variables: new Set(definition.variableDefinitions?.map(({ variable }) => variable.name.value)),
  };
}

/**
 * Computes a key to compare documents. Documents with the same key differ only in layout, comments and `__typename`,
 * which other clients add to every selection.
 * @returns undefined if `text` can't be parsed
 */
export function keyedDocument(text: string): { readonly key: string; readonly text: string } | undefined {
  try {
    const document = parse(text, { noLocation: true });
    return { key: print(withoutTypename(document)), text: print(document) };
  } catch {
    return undefined;
  }
}

function withoutTypename(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: (set) => {
      const others = set.selections.filter((selection) => !isTypename(selection));
      return { ...set, selections: others.length === 0 ? set.selections.slice(0, 1) : others };
    },
  });
}

function isTypename(selection: SelectionNode): boolean {
  if (selection.kind !== Kind.FIELD || selection.name.value !== "__typename") return false;
  return selection.alias === undefined && !selection.directives?.length;
}

/** Finds `@defer` or `@stream`, because the client doesn't read parts that arrive later. */
function incrementalDirective(document: DocumentNode): string | undefined {
  let found: string | undefined;
  visit(document, {
    Directive: ({ name: { value } }) => {
      if (value === "defer" || value === "stream") found = `@${value}`;
    },
  });
  return found;
}

function isDocumentNode(document: object): document is DocumentNode {
  return "kind" in document && document.kind === Kind.DOCUMENT;
}

function notADocument(): InvalidInputError {
  return new InvalidInputError(
    "The document must be a string with one GraphQL operation, or a typed document.",
  );
}
