import { type ASTNode, type DocumentNode, Kind, visit } from "graphql";

/** Where a node of a document stands, in the caller's terms. */
export interface Place {
  /** Names under which the fields around it are answered, from the operation or fragment on. */
  readonly path: readonly string[];
  /** Names of the argument and of the input fields around it; empty outside of arguments. */
  readonly argument: readonly string[];
}

/** Where a node stands; undefined where it stands in no field. */
export function placeOf(document: DocumentNode, target: ASTNode): Place | undefined {
  return placesWhere(document, (node) => node === target);
}

/** Where a variable is used first; undefined where it is not used. */
export function placeOfVariable(document: DocumentNode, name: string): Place | undefined {
  return placesWhere(document, (node) => node.kind === Kind.VARIABLE && node.name.value === name);
}

/** The first place in a field whose node is accepted. */
function placesWhere(document: DocumentNode, accept: (node: ASTNode) => boolean): Place | undefined {
  const path: string[] = [];
  const argument: string[] = [];
  let place: Place | undefined;
  visit(document, {
    enter(node) {
      if (node.kind === Kind.FIELD) path.push(node.alias?.value ?? node.name.value);
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) argument.push(node.name.value);
      if (place === undefined && path.length > 0 && accept(node))
        place = { path: [...path], argument: [...argument] };
    },
    leave(node) {
      if (node.kind === Kind.FIELD) path.pop();
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) argument.pop();
    },
  });
  return place;
}
