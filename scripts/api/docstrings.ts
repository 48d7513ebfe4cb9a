import ts from "typescript";
import { ROOT } from "./entries.js";
import type { PublicName } from "./names.js";

/** Section titles of the service description. */
const TITLES: ReadonlySet<string> = new Set([
  "GraphQL object shapes",
  "Mutation input shapes",
  "Sync API records",
  "Application state",
  "Procurement case state",
  "License activity",
  "Sync batch",
  "Endpoints",
  "GraphQL API",
  "Sync API",
  "Official client SDK behavior",
  "Authentication",
  "Errors",
  "Typed mutation errors",
  "Limits",
]);

/** Public names that come from the service description, so their docstrings must cite a section title. */
const DESCRIBED = [
  /^(?:Application|License|LicensePlan|Vendor)(?:Filter|Order)$/,
  /^(?:Application|License|LicensePlan|ProcurementCase|MutationErrors|ListOptions|PageInfo)$/,
  /^(?:ApplicationState|BatchState)$/,
  /^(?:CreateProcurementCase|UpdateProcurementCase|ChangeVendorsState)Input$/,
  /^(?:Account|License|Plan|Usage|DiscoveredUsage|Employee)Record$/,
  /^(?:(?:Generic|Microsoft)Employee|SnapshotCollection|EventCollection|Collection|RecordTypes)$/,
  /^(?:GraphQLClient|SyncClient|SyncBatch|SaasManagementClient|Connection|GraphQLOptions|ReferenceServer)$/,
  /^(?:GraphQLResponse|Mutation|Authentication|PermissionDenied|BatchInProgress|SyncProtocol|BatchState|Closed|Transport|InvalidInput|Configuration)Error$/,
];

/** Calls that never throw. */
const NEVER_THROW: ReadonlySet<string> = new Set([
  "defineConfig",
  "defineConnector",
  "disposition",
  "isMutationError",
  "memoryLedger",
  "GraphQLClient.close",
  "Faults.clear",
  "ReferenceServer.close",
  "ReferenceServer.reset",
  "SaasManagementClient.close",
  "SyncBatch.close",
  "SyncClient.close",
]);

/** Interfaces that programs implement and the SDK calls, and a clock that never throws. */
const IMPLEMENTED_BY_CALLER = /^(?:TestClock|Store|Connector|Logger)\./;

/**
 * Reports what's missing in the docstrings of a name: a description, the unit of a number, the default of an option,
 * what a call throws, or a section title of the service description.
 */
export function docstringProblems({ name, symbol }: PublicName): readonly string[] {
  return (symbol.declarations ?? []).flatMap((node) => [
    ...sectionProblems(name, node),
    ...memberProblems(name, node),
  ]);
}

function sectionProblems(name: string, node: ts.Node): string[] {
  const named = [...docOf(node).matchAll(/\(service description,\s+"([^"]+)"/g)].map(
    ([, title = ""]) => title,
  );
  const unknown = named.filter((title) => !TITLES.has(title));
  const isMissing = named.length === 0 && DESCRIBED.some((pattern) => pattern.test(name));
  return [
    ...unknown.map(
      (title) => `${at(node)} ${name} cites "${title}", which is not a title of the service description`,
    ),
    ...(isMissing ? [`${at(node)} ${name} does not cite the service description`] : []),
  ];
}

function memberProblems(name: string, node: ts.Node): string[] {
  if (ts.isFunctionDeclaration(node)) return throwsProblems(name, node);
  const members =
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
      ? [...node.members]
      : ts.isTypeAliasDeclaration(node)
        ? literalMembers(node.type)
        : [];
  return members.filter(isPublic).flatMap((member) => {
    const own = `${name}.${member.name?.getText() ?? "constructor"}`;
    if (ts.isPropertySignature(member) || ts.isPropertyDeclaration(member) || ts.isGetAccessor(member)) {
      return [
        ...wordProblems(own, member),
        ...unitProblems(own, member),
        ...defaultProblems(name, own, member),
      ];
    }
    const isCall =
      ts.isMethodDeclaration(member) || ts.isMethodSignature(member) || ts.isConstructorDeclaration(member);
    // Programs catch the SDK's errors, but don't construct them.
    return isCall && !name.endsWith("Error") ? throwsProblems(own, member) : [];
  });
}

function literalMembers(type: ts.TypeNode): ts.TypeElement[] {
  if (ts.isTypeLiteralNode(type)) return [...type.members];
  return ts.isIntersectionTypeNode(type) ? type.types.flatMap(literalMembers) : [];
}

/** Finds docstrings that have only tags; API Extractor already reports missing docstrings. */
function wordProblems(name: string, node: ts.Node): string[] {
  return /^\/\*\*[\s*]*@(?!inheritDoc)/.test(docOf(node))
    ? [`${at(node)} ${name} has tags but no description`]
    : [];
}

function unitProblems(name: string, node: ts.Node): string[] {
  const unit = /Ms$/.test(name) ? /millisecond/i : /[bB]ytes$/.test(name) ? /bytes/i : undefined;
  return unit === undefined || unit.test(docOf(node)) ? [] : [`${at(node)} ${name} does not name its unit`];
}

function defaultProblems(owner: string, name: string, node: ts.Node): string[] {
  const isOption =
    /(?:Options|Tuning|Rule|Arguments)$/.test(owner) &&
    ts.isPropertySignature(node) &&
    node.questionToken !== undefined;
  return isOption && !/@default/.test(docOf(node)) ? [`${at(node)} ${name} has no @default`] : [];
}

function throwsProblems(name: string, node: ts.SignatureDeclaration): string[] {
  if (
    NEVER_THROW.has(name) ||
    name.endsWith(".toString") ||
    IMPLEMENTED_BY_CALLER.test(name) ||
    isImplementation(node)
  )
    return [];
  // Members such as [Symbol.asyncIterator] are called by the language, not by programs.
  if (node.name !== undefined && ts.isComputedPropertyName(node.name)) return [];
  if (ts.isConstructorDeclaration(node) && node.parameters.length === 0) return [];
  return /@throws/.test(docOf(node)) ? [] : [`${at(node)} ${name} has no @throws`];
}

/** True for the implementation of overloads, which is not public. */
function isImplementation(node: ts.SignatureDeclaration): boolean {
  if (!ts.isFunctionDeclaration(node) || node.body === undefined) return false;
  const overloads = node
    .getSourceFile()
    .statements.filter(
      (it) => ts.isFunctionDeclaration(it) && it.body === undefined && it.name?.text === node.name?.text,
    );
  return overloads.length > 0;
}

function isPublic(member: ts.ClassElement | ts.TypeElement): boolean {
  const isPrivate = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  const isHidden = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0;
  return !isPrivate && !isHidden && !docOf(member).includes("@internal");
}

/** The text of the docstring, with its tags. */
function docOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((it) => it.getText())
    .join("\n")
    .replace(/\s*\n\s*\*\s?/g, " ");
}

function at(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName.replace(ROOT, "")}:${line + 1}`;
}
