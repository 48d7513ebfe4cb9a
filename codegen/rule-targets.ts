import type { DescField, DescMessage, FileRegistry } from "@bufbuild/protobuf";
import type { Rules } from "../contract/types.js";
import type { Names } from "./contract-names.js";
import { findCollections } from "./roles.js";

/** Whether a rule says that records do not have a field. */
export function isLeftOut(field: DescField, rules: Rules, names: Names): boolean {
  return rules.messages[names.type(field.parent)]?.fields?.[names.field(field)]?.leftOut === true;
}

/** The fields to leave out that a contract does not have. */
export function unmetLeftOut(rules: Rules, registry: FileRegistry, names: Names): readonly string[] {
  const known = new Set<string>();
  for (const desc of registry) {
    if (desc.kind !== "message") continue;
    for (const field of desc.fields)
      known
        .add(`collections.${names.field(field)}`)
        .add(`messages.${names.type(desc)}.${names.field(field)}`);
  }
  const collections = Object.entries(rules.collections).flatMap(([name, model]) =>
    model === "left out" ? [`collections.${name}`] : [],
  );
  const fields = fieldRules(rules).flatMap(([message, field, { leftOut }]) =>
    leftOut ? [`messages.${message}.${field}`] : [],
  );
  return [...collections, ...fields].filter((rule) => !known.has(rule)).map((rule) => unmet(rule, "field"));
}

/** The rules without a target. */
export function unmetRules(
  rules: Rules,
  request: DescMessage,
  models: Iterable<DescMessage>,
): readonly string[] {
  const collections = new Set(findCollections(request).map(({ field }) => field.name));
  const messages = new Map(Array.from(models, (message) => [message.name, message]));
  const fields = fieldRules(rules).filter(([message, , { leftOut }]) => messages.has(message) && !leftOut);
  return [
    ...Object.entries(rules.collections).flatMap(([name, model]) =>
      collections.has(name) || model === "left out" ? [] : [unmet(`collections.${name}`, "collection")],
    ),
    ...Object.entries(rules.messages).flatMap(([name, { fields: all = {}, ...others }]) => {
      const isLeftOutOnly = !Object.keys(others).length && Object.values(all).every(({ leftOut }) => leftOut);
      return messages.has(name) || isLeftOutOnly ? [] : [unmet(`messages.${name}`, "message of a record")];
    }),
    ...fields.flatMap(([message, field, { refersTo = [] }]) => [
      ...(messages.get(message)?.fields.some(({ name }) => name === field)
        ? []
        : [unmet(`messages.${message}.${field}`, "field")]),
      ...refersTo.flatMap((name) =>
        collections.has(name) ? [] : [unmet(`messages.${message}.${field}: refersTo ${name}`, "collection")],
      ),
    ]),
  ];
}

function fieldRules({ messages }: Rules) {
  return Object.entries(messages).flatMap(([message, { fields = {} }]) =>
    Object.entries(fields).map(([field, rules]) => [message, field, rules] as const),
  );
}

function unmet(rule: string, kind: string): string {
  return `contract/rules.ts: ${rule}: the contract has no such ${kind}`;
}
