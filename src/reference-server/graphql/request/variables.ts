import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";
import { placeOfVariable } from "./place.js";
import { argumentMismatch, argumentRequired } from "./validate.js";

/** The variables of a request, as they came. */
export type Variables = { readonly [name: string]: unknown };

/**
 * Checks the variables of an operation of a valid document. The errors speak of the arguments that the variables are
 * used in, as those of values in the document itself do.
 */
export function checkVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): readonly GraphQLError[] {
  return (operation.variableDefinitions ?? []).flatMap((definition): readonly GraphQLError[] => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return [];
    const place = placeOfVariable(document, name);
    const around = place?.argument ?? [name];
    const at = (inside: readonly (string | number)[]) => ({
      nodes: [definition],
      path: place?.path,
      argument: [...around, ...inside].join("."),
    });
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) {
      const isMissing = isNonNullType(type) && definition.defaultValue === undefined;
      return isMissing ? [argumentRequired(around.at(-1) ?? name, at([]))] : [];
    }
    const errors: GraphQLError[] = [];
    coerceInputValue(value, type, (inside) => errors.push(argumentMismatch(at(inside))));
    return errors;
  });
}
