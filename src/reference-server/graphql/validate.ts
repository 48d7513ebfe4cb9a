import {
  type ASTNode,
  coerceInputValue,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  ProvidedRequiredArgumentsRule,
  specifiedRules,
  typeFromAST,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
  visit,
} from "graphql";
import { ErrorCode, type ErrorPlace, requestError } from "./errors.js";

const MAX_ERRORS = 20;

function argumentRequired(name: string, place: ErrorPlace): GraphQLError {
  return requestError(ErrorCode.argumentRequired, `The argument \`${name}\` is required.`, place);
}

const UNKNOWN_INPUT_FIELD = /^Field "([A-Za-z_]\w{0,63})" is not defined by type "(\w+)"/;

/** The message names a field that the input doesn't have, but never repeats a value, which may be confidential. */
function argumentMismatch(place: ErrorPlace, reason: string): GraphQLError {
  const [, field, type] = UNKNOWN_INPUT_FIELD.exec(reason) ?? [];
  if (field !== undefined && type !== undefined) return unknownField(field, type, place);
  const message = "The specified argument value does not match the argument type.";
  return requestError(ErrorCode.argumentType, message, place);
}

function unknownField(field: string, type: string, place: ErrorPlace): GraphQLError {
  const message = `The field \`${field}\` does not exist on the type \`${type}\`.`;
  return requestError(ErrorCode.unknownField, message, place);
}

/** Checks a document against the schema. Uses the service's own messages where its description shows them. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  return validate(schema, document, rules, { maxErrors: MAX_ERRORS }).map((error) => {
    // The first of several nodes may be a variable's definition, which is outside all fields.
    const place = error.nodes
      ?.map((node) => findPlace(document, (other) => other === node))
      .find((found) => found !== undefined);
    const argument = place?.argument.join(".") || undefined;
    const extensions = { code: ErrorCode.validation, argument, ...error.extensions };
    return new GraphQLError(error.message, {
      nodes: error.nodes ?? null,
      path: place?.path ?? null,
      extensions,
    });
  });
}

const knownFields: ValidationRule = (context) => ({
  Field(node) {
    const type = context.getParentType();
    if (!type || context.getFieldDef()) return;
    context.reportError(unknownField(node.name.value, type.name, { nodes: [node] }));
  },
});

const requiredArguments: ValidationRule = (context) => {
  const check = (expected: readonly GraphQLArgument[], node: FieldNode | DirectiveNode): void => {
    const given = new Set(node.arguments?.map(({ name }) => name.value));
    for (const argument of expected) {
      if (!isRequiredArgument(argument) || given.has(argument.name)) continue;
      context.reportError(argumentRequired(argument.name, { nodes: [node], argument: argument.name }));
    }
  };
  return {
    Field: (node) => check(context.getFieldDef()?.args ?? [], node),
    Directive: (node) => check(context.getDirective()?.args ?? [], node),
  };
};

/** Replaces a rule's errors with the error for a value that doesn't match. */
function asMismatch(rule: ValidationRule): ValidationRule {
  return (context) => {
    const reporting: ValidationContext = Object.create(context, {
      reportError: {
        value: ({ nodes, message }: GraphQLError) =>
          context.reportError(argumentMismatch({ nodes }, message)),
      },
    });
    return rule(reporting);
  };
}

const replacements = new Map<ValidationRule, ValidationRule>([
  [FieldsOnCorrectTypeRule, knownFields],
  [ProvidedRequiredArgumentsRule, requiredArguments],
  [ValuesOfCorrectTypeRule, asMismatch(ValuesOfCorrectTypeRule)],
  [VariablesInAllowedPositionRule, asMismatch(VariablesInAllowedPositionRule)],
]);

const rules = specifiedRules.map((rule) => replacements.get(rule) ?? rule);

/**
 * Checks the variables of a valid operation. The errors name the arguments in which the variables are used, like errors
 * about literal values.
 */
export function checkVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: { readonly [name: string]: unknown },
): readonly GraphQLError[] {
  return (operation.variableDefinitions ?? []).flatMap((definition): readonly GraphQLError[] => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return [];
    const place = findPlace(document, (node) => node.kind === Kind.VARIABLE && node.name.value === name);
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
    coerceInputValue(value, type, (inside, _value, { message }) =>
      errors.push(argumentMismatch(at(inside), message)),
    );
    return errors;
  });
}

interface Place {
  /** Response names of the fields around the node. */
  readonly path: readonly string[];
  /** Names of the argument and input fields around the node. */
  readonly argument: readonly string[];
}

function findPlace(document: DocumentNode, accept: (node: ASTNode) => boolean): Place | undefined {
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
