import type { DescMessage } from "@bufbuild/protobuf";
import type { Rules } from "../contract/types.js";
import { nearestName } from "./nearest.js";
import { findCollections } from "./roles.js";

/** @throws Error naming every rule without a target, and the likely one */
export function checkTargets(rules: Rules, request: DescMessage, models: Iterable<DescMessage>): void {
  const problems = unmetRules(rules, request, models);
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `contract/rules.ts: ${problem}`).join("\n"));
}

function unmetRules(rules: Rules, request: DescMessage, models: Iterable<DescMessage>): string[] {
  const collections = findCollections(request).map(({ field }) => field.name);
  const messages = new Map(Array.from(models, (message) => [message.name, message]));
  const unruled = (names: Iterable<string>, ruled: object) =>
    [...names].filter((name) => !Object.hasOwn(ruled, name));
  return [
    ...Object.keys(rules.collections).flatMap((name) =>
      collections.includes(name)
        ? []
        : unmet(`collections.${name}`, "collection", name, unruled(collections, rules.collections)),
    ),
    ...Object.entries(rules.messages).flatMap(([name, { fields = {} }]) => {
      const message = messages.get(name);
      if (message === undefined)
        return unmet(`messages.${name}`, "message", name, unruled(messages.keys(), rules.messages));
      const known = message.fields.map((field) => field.name);
      return Object.keys(fields).flatMap((field) =>
        known.includes(field)
          ? []
          : unmet(`messages.${name}.${field}`, "field", field, unruled(known, fields)),
      );
    }),
  ];
}

function unmet(rule: string, kind: string, name: string, candidates: readonly string[]): string[] {
  const likely = nearestName(name, candidates);
  return [`${rule}: the contract has no such ${kind}${likely === undefined ? "" : `; likely ${likely}`}`];
}
