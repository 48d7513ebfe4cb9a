import type { DescField, DescMessage, FileRegistry } from "@bufbuild/protobuf";
import type { Rules } from "../contract/types.js";
import type { Names } from "./contract-names.js";
import { findCollections } from "./roles.js";

/** Whether a rule leaves a field out of records. */
export function isLeftOut(field: DescField, rules: Rules, names: Names): boolean {
  return rules.messages[names.type(field.parent)]?.fields?.[names.field(field)]?.leftOut === true;
}

/** Rules that exclude a field the contract doesn't have. */
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

/** The messages that records consist of. */
function messagesOf(records: Iterable<DescMessage>, found = new Map<string, DescMessage>()) {
  for (const message of records) {
    if (message.typeName.startsWith("google.") || found.has(message.name)) continue;
    found.set(message.name, message);
    messagesOf(
      message.fields.flatMap((field) => field.message ?? []),
      found,
    );
  }
  return found;
}

/** The rules without a target. */
export function unmetRules(rules: Rules, request: DescMessage): readonly string[] {
  const places = findCollections(request);
  const collections = new Set(places.map(({ field }) => field.name));
  const messages = messagesOf(places.map(({ records }) => records.message));
  const unruled = [...messages.values()].filter(({ name }) => rules.messages[name] === undefined);
  const named = (theirs: string, ours: string) => `contract/mapping.ts, names: { "${theirs}": "${ours}" }`;
  const unmetMessage = (name: string, fields: readonly string[]) => {
    const alike = mostAlike(unruled, fields)?.name;
    const other = alike === undefined ? "" : `if ${alike} is it, ${named(alike, name)}; otherwise `;
    return `${unmet(`messages.${name}`, "message of a record")}; ${other}delete this block`;
  };
  const fields = fieldRules(rules).filter(([message, , { leftOut }]) => messages.has(message) && !leftOut);
  return [
    ...Object.entries(rules.collections).flatMap(([name, model]) =>
      collections.has(name) || model === "left out"
        ? []
        : [`${unmet(`collections.${name}`, "collection")}; delete this line`],
    ),
    ...Object.entries(rules.messages).flatMap(([name, { fields: all = {}, ...others }]) => {
      const isLeftOutOnly = !Object.keys(others).length && Object.values(all).every(({ leftOut }) => leftOut);
      return messages.has(name) || isLeftOutOnly ? [] : [unmetMessage(name, Object.keys(all))];
    }),
    ...fields.flatMap(([message, field, { refersTo = [] }]) => [
      ...(messages.get(message)?.fields.some(({ name }) => name === field)
        ? []
        : [
            `${unmet(`messages.${message}.${field}`, "field")}; delete this line, or map the contract's field to this name: ${named("MESSAGE.FIELD", field)}`,
          ]),
      ...refersTo.flatMap((name) =>
        collections.has(name) ? [] : [unmet(`messages.${message}.${field}: refersTo ${name}`, "collection")],
      ),
    ]),
  ];
}

/** The message with the most of these fields, provided it has at least two and at least half of them. */
function mostAlike(messages: readonly DescMessage[], names: readonly string[]): DescMessage | undefined {
  const shared = ({ fields }: DescMessage) => fields.filter(({ name }) => names.includes(name)).length;
  const [best] = messages.toSorted((a, b) => shared(b) - shared(a));
  return best !== undefined && shared(best) >= Math.max(2, names.length / 2) ? best : undefined;
}

function fieldRules({ messages }: Rules) {
  return Object.entries(messages).flatMap(([message, { fields = {} }]) =>
    Object.entries(fields).map(([field, rules]) => [message, field, rules] as const),
  );
}

function unmet(rule: string, kind: string): string {
  return `contract/rules.ts: ${rule}: the contract has no such ${kind}`;
}
