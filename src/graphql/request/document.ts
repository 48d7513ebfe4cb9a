import { type DocumentNode, Kind, OperationTypeNode, parse, print } from "graphql";
import { InvalidInputError } from "../../core/errors/index.js";

/** What the SDK needs to know of a document. */
export interface Operation {
  /** The document, as it is sent. */
  readonly text: string;
  /** What it is, for messages: `GraphQL query Licenses`. */
  readonly label: string;
  /** What the operation is; undefined where it could not be read. */
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  /** Name of the operation; undefined where it has none, or could not be read. */
  readonly name: string | undefined;
  /** Whether it only reads. False where that is not certain. */
  readonly readOnly: boolean;
  /** Names of the variables that it declares; undefined where it could not be read. */
  readonly variables: ReadonlySet<string> | undefined;
}

/** Documents are made once and used often: each is read once. Strings beyond these are read again. */
const MAX_STRINGS = 100;
const ofStrings = new Map<string, Operation>();
const ofObjects = new WeakMap<object, Operation>();

/**
 * Reads a document.
 * @throws {InvalidInputError} it is no document, or has not exactly one operation
 */
export function readDocument(document: object | string): Operation {
  if (typeof document !== "string" && (typeof document !== "object" || document === null)) throw noDocument();
  const known = typeof document === "string" ? ofStrings.get(document) : ofObjects.get(document);
  if (known !== undefined) return known;
  const operation = readGuarded(document);
  if (typeof document !== "string") {
    ofObjects.set(document, operation);
  } else if (ofStrings.size < MAX_STRINGS) {
    ofStrings.set(document, operation);
  }
  return operation;
}

function readGuarded(document: object | string): Operation {
  try {
    return read(document);
  } catch (cause) {
    // An object that only looks like a document, or one that cannot be read.
    throw cause instanceof InvalidInputError ? cause : noDocument();
  }
}

function noDocument(): InvalidInputError {
  return new InvalidInputError(
    "The document must be a string with one GraphQL operation, or a typed document.",
  );
}

function read(document: object | string): Operation {
  if (isDocumentNode(document)) return describe(print(document), document);
  const text = String(document);
  if (text.trim() === "" || text === "[object Object]") {
    throw noDocument();
  }
  let parsed: DocumentNode;
  try {
    parsed = parse(text, { noLocation: true });
  } catch {
    // Newer syntax than this parser's, or a mistake: the server decides. Nothing says that it only reads.
    return {
      text,
      label: "GraphQL request",
      kind: undefined,
      name: undefined,
      readOnly: false,
      variables: undefined,
    };
  }
  return describe(text, parsed);
}

function describe(text: string, document: DocumentNode): Operation {
  const [operation, ...others] = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation === undefined || others.length > 0) {
    throw new InvalidInputError(
      `The document must have exactly one operation; it has ${operation === undefined ? "none" : others.length + 1}.`,
    );
  }
  const name = operation.name?.value;
  return {
    text,
    label: `GraphQL ${operation.operation}${name === undefined ? "" : ` ${name}`}`,
    kind: operation.operation,
    name,
    readOnly: operation.operation === OperationTypeNode.QUERY,
    variables: new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value)),
  };
}

function isDocumentNode(document: object | string): document is DocumentNode {
  return typeof document === "object" && "kind" in document && document.kind === Kind.DOCUMENT;
}
