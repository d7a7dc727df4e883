/**
 * Prints the types in `deno doc --json` as TypeScript.
 *
 * Deno's JSON does not keep everything: tuple labels, variance and `const` type parameters are lost
 * before they get here.
 *
 * @module
 */

/** A type: `kind` says what `value` is. */
export interface DocType {
  readonly kind: string;
  readonly repr?: string;
  readonly value?: unknown;
}

/** A parameter of a function. */
export interface DocParam {
  readonly kind: "identifier" | "object" | "array" | "rest" | "assign";
  readonly name?: string;
  readonly optional?: boolean;
  readonly tsType?: DocType;
  /** What a `rest` parameter collects into. */
  readonly arg?: DocParam;
  /** What an `assign` parameter gives a default to. */
  readonly left?: DocParam;
}

/** A type parameter. */
export interface DocTypeParam {
  readonly name: string;
  readonly constraint?: DocType;
  readonly default?: DocType;
}

/** What can be called: a function, a method, a constructor, a call or an index signature. */
export interface DocCallable {
  readonly params: readonly DocParam[];
  readonly typeParams?: readonly DocTypeParam[];
  readonly returnType?: DocType;
  readonly tsType?: DocType;
  readonly readonly?: boolean;
}

/** A property or method of an interface or a class. */
export interface DocMember extends Partial<DocCallable> {
  readonly name: string;
  readonly kind?: "method" | "getter" | "setter";
  readonly optional?: boolean;
  readonly isStatic?: boolean;
  readonly isAbstract?: boolean;
  readonly accessibility?: "public" | "protected" | "private";
  readonly functionDef?: DocCallable;
}

/** The members of a type literal, an interface or a class. */
export interface DocMembers {
  readonly constructors?: readonly DocCallable[];
  readonly callSignatures?: readonly DocCallable[];
  readonly indexSignatures?: readonly DocCallable[];
  readonly properties?: readonly DocMember[];
  readonly methods?: readonly DocMember[];
}

/** Prints a type. */
export function formatType(type: DocType): string {
  const print = PRINTERS[type.kind];
  if (print === undefined) throw new TypeError(`Cannot print a type: unknown kind ${type.kind}`);
  return print(type.value, type.repr ?? "");
}

/** Prints `<T extends U = V>`, or nothing if there are no type parameters. */
export function formatTypeParams(params: readonly DocTypeParam[] = []): string {
  return params.length === 0 ? "" : `<${params.map(formatTypeParam).join(", ")}>`;
}

/** Prints `<T>(a: T, b?: string): void`. */
export function formatCallable(callable: DocCallable, separator = ": "): string {
  const params = callable.params.map(formatParam).join(", ");
  const returned = callable.returnType ?? callable.tsType;
  return `${formatTypeParams(callable.typeParams)}(${params})` +
    (returned === undefined ? "" : separator + formatType(returned));
}

/**
 * Prints every member of a type, an interface or a class that callers can see, one string for each.
 */
export function formatMembers(members: DocMembers, construct = "new "): string[] {
  return [
    ...(members.constructors ?? []).map((callable) => construct + formatCallable(callable)),
    ...(members.callSignatures ?? []).map((callable) => formatCallable(callable)),
    ...(members.indexSignatures ?? []).map(formatIndexSignature),
    ...[...(members.properties ?? []), ...(members.methods ?? [])]
      .filter((member) => member.accessibility !== "private")
      .map(formatMember),
  ];
}

function formatMember(member: DocMember): string {
  const words = [
    member.accessibility === "protected" ? "protected" : "",
    member.isStatic ? "static" : "",
    member.isAbstract ? "abstract" : "",
    member.readonly ? "readonly" : "",
    member.kind === "getter" ? "get" : member.kind === "setter" ? "set" : "",
  ];
  const name = member.name + (member.optional ? "?" : "");
  const callable = member.functionDef ?? (member.kind === undefined ? undefined : member);
  const rest = callable?.params !== undefined
    ? formatCallable({ ...callable, params: callable.params })
    : member.tsType === undefined
    ? ""
    : `: ${formatType(member.tsType)}`;
  return [...words.filter((word) => word !== ""), name + rest].join(" ");
}

function formatIndexSignature(signature: DocCallable): string {
  const params = signature.params.map(formatParam).join(", ");
  const type = signature.tsType === undefined ? "" : `: ${formatType(signature.tsType)}`;
  return `${signature.readonly ? "readonly " : ""}[${params}]${type}`;
}

function formatTypeParam({ name, constraint, default: fallback }: DocTypeParam): string {
  return name +
    (constraint === undefined ? "" : ` extends ${formatType(constraint)}`) +
    (fallback === undefined ? "" : ` = ${formatType(fallback)}`);
}

function formatParam(param: DocParam): string {
  const type = param.tsType === undefined ? "" : `: ${formatType(param.tsType)}`;
  switch (param.kind) {
    case "identifier":
      return `${param.name}${param.optional ? "?" : ""}${type}`;
    case "object":
      return `{}${param.optional ? "?" : ""}${type}`;
    case "array":
      return `[]${param.optional ? "?" : ""}${type}`;
    case "rest":
      return `...${param.arg?.name ?? "rest"}${type}`;
    case "assign": { // A parameter with a default is an optional one
      const left = param.left ?? { kind: "identifier", name: "_" };
      const inner = { ...left, tsType: left.tsType ?? param.tsType, optional: true };
      return formatParam(inner as DocParam);
    }
  }
}

function formatList(types: unknown, separator: string): string {
  return (types as readonly DocType[]).map(formatType).join(separator);
}

/** One row per kind of type in Deno's JSON. */
const PRINTERS: Readonly<Record<string, (value: unknown, repr: string) => string>> = {
  keyword: (value) => String(value),
  this: () => "this",
  typeRef: (value) => {
    const { typeName, typeParams } = value as { typeName: string; typeParams?: DocType[] };
    return typeName + (typeParams === undefined ? "" : `<${formatList(typeParams, ", ")}>`);
  },
  literal: (value, repr) => {
    const literal = value as { kind: string; string?: string; tsTypes?: DocType[] };
    if (literal.kind === "string") return JSON.stringify(literal.string);
    if (literal.kind === "bigInt") return `${literal.string}n`;
    if (literal.kind !== "template") return repr;
    const parts = (literal.tsTypes ?? []).map((part) =>
      part.kind === "literal" ? part.repr ?? "" : `\${${formatType(part)}}`
    );
    return `\`${parts.join("")}\``;
  },
  union: (value) => formatList(value, " | "),
  intersection: (value) => formatList(value, " & "),
  parenthesized: (value) => `(${formatType(value as DocType)})`,
  array: (value) => `${formatType(value as DocType)}[]`,
  tuple: (value) => `[${formatList(value, ", ")}]`,
  optional: (value) => `${formatType(value as DocType)}?`,
  rest: (value) => `...${formatType(value as DocType)}`,
  typeQuery: (value) => `typeof ${value}`,
  typeOperator: (value) => {
    const { operator, tsType } = value as { operator: string; tsType: DocType };
    return `${operator} ${formatType(tsType)}`;
  },
  indexedAccess: (value) => {
    const { objType, indexType } = value as { objType: DocType; indexType: DocType };
    return `${formatType(objType)}[${formatType(indexType)}]`;
  },
  conditional: (value) => {
    const { checkType, extendsType, trueType, falseType } = value as Record<string, DocType>;
    const [check, wide, yes, no] = [checkType, extendsType, trueType, falseType].map((type) =>
      type === undefined ? "" : formatType(type)
    );
    return `${check} extends ${wide} ? ${yes} : ${no}`;
  },
  infer: (value) => `infer ${formatTypeParam((value as { typeParam: DocTypeParam }).typeParam)}`,
  mapped: (value) => {
    const { typeParam, nameType, tsType, optional, readonly } = value as {
      typeParam: DocTypeParam;
      nameType?: DocType;
      tsType?: DocType;
      optional?: boolean | "+" | "-";
      readonly?: boolean | "+" | "-";
    };
    const keys = typeParam.constraint === undefined ? "" : formatType(typeParam.constraint);
    const named = nameType === undefined ? "" : ` as ${formatType(nameType)}`;
    const sign = (flag: boolean | string | undefined) => typeof flag === "string" ? flag : "";
    const before = readonly ? `${sign(readonly)}readonly ` : "";
    const after = optional ? `${sign(optional)}?` : "";
    const type = tsType === undefined ? "" : `: ${formatType(tsType)}`;
    return `{ ${before}[${typeParam.name} in ${keys}${named}]${after}${type} }`;
  },
  typeLiteral: (value) => {
    const members = formatMembers(value as DocMembers);
    return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
  },
  fnOrConstructor: (value) => {
    const callable = value as DocCallable & { constructor?: boolean };
    return (callable.constructor === true ? "new " : "") + formatCallable(callable, " => ");
  },
  typePredicate: (value) => {
    const predicate = value as {
      asserts?: boolean;
      param: { type: string; name?: string };
      type?: DocType;
    };
    return (predicate.asserts ? "asserts " : "") +
      (predicate.param.name ?? "this") +
      (predicate.type === undefined ? "" : ` is ${formatType(predicate.type)}`);
  },
  importType: (value) => {
    const type = value as { specifier: string; qualifier?: string; typeParams?: DocType[] };
    return `import("${type.specifier}")` +
      (type.qualifier === undefined ? "" : `.${type.qualifier}`) +
      (type.typeParams === undefined ? "" : `<${formatList(type.typeParams, ", ")}>`);
  },
};
