import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLSchema,
  isRequiredArgument,
  ProvidedRequiredArgumentsRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
} from "graphql";
import { ErrorCode, requestError } from "../request-error.js";
import { placeOf } from "./place.js";

const MAXIMUM_ERRORS = 20;

/** An argument that has to be given is missing. */
export function argumentRequired(name: string, place: Parameters<typeof requestError>[2]): GraphQLError {
  return requestError(ErrorCode.argumentRequired, `The argument \`${name}\` is required.`, place);
}

/** A value does not fit its argument. The message does not repeat the value, which may be anything. */
export function argumentMismatch(place: Parameters<typeof requestError>[2]): GraphQLError {
  const message = "The specified argument value does not match the argument type.";
  return requestError(ErrorCode.argumentType, message, place);
}

/** Checks a document against the schema. Errors have the service's messages where its description shows them. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  return validate(schema, document, rules, { maxErrors: MAXIMUM_ERRORS }).map((error) => {
    // Of several nodes the first may be the definition of a variable, which stands in no field.
    const place = error.nodes?.map((node) => placeOf(document, node)).find((found) => found !== undefined);
    const argument = place?.argument.join(".") ?? "";
    return new GraphQLError(error.message, {
      ...(error.nodes === undefined ? {} : { nodes: error.nodes }),
      ...(place === undefined ? {} : { path: place.path }),
      extensions: {
        code: ErrorCode.validation,
        ...(argument === "" ? {} : { argument }),
        ...error.extensions,
      },
    });
  });
}

const knownFields: ValidationRule = (context) => ({
  Field(node) {
    const type = context.getParentType();
    if (!type || context.getFieldDef()) return;
    const message = `The field \`${node.name.value}\` does not exist on the type \`${type.name}\`.`;
    context.reportError(requestError(ErrorCode.unknownField, message, { nodes: [node] }));
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

/** The same rule, whose every error says that a value does not match. */
function asMismatch(rule: ValidationRule): ValidationRule {
  return (context) => {
    const reporting: ValidationContext = Object.create(context, {
      reportError: { value: ({ nodes }: GraphQLError) => context.reportError(argumentMismatch({ nodes })) },
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
