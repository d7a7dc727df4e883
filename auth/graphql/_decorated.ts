/**
 * What decorators declared, by class. In TC39 mode the decorator of a member cannot access its class, but the metadata object
 * that its decorators share.
 *
 * @module
 */

import type { AnyClass, Declaration } from "./types.ts";

/** What a decorator is called with, in either mode. */
export interface DecoratorCall {
  readonly target: unknown;
  readonly context: unknown;
  readonly descriptor: unknown;
}

/** The declarations of a class and of the classes it extends. */
export interface ClassDeclarations {
  readonly own: readonly Declaration[];
  readonly members: ReadonlyMap<string, readonly Declaration[]>;
}

/** Declarations of members by name. */
type Members = Map<string, Declaration[]>;

/** Declarations of classes. In TC39 mode, one whose members alone are decorated is missing. */
const CLASSES: Map<AnyClass, Declaration[]> = /* @__PURE__ */ new Map();

/** Declarations of members, by the prototype of their class, or by its metadata object. */
const MEMBERS: WeakMap<object, Members> = /* @__PURE__ */ new WeakMap();

/** Members that no type was bound to, and classes that one was. */
const UNBOUND: Set<Members> = /* @__PURE__ */ new Set();
const BOUND: WeakSet<AnyClass> = /* @__PURE__ */ new WeakSet();

const MISUSED =
  "Cannot use a declaration as a decorator: it must decorate a class, or a member that is not static and has a string name";

/** Records one use of a decorator. @throws {TypeError} If it decorates anything else than a class or a member of its objects. */
export function recordDeclaration(declaration: Declaration, call: DecoratorCall): void {
  declarationsAt(call).unshift(declaration); // the nearest decorator runs first
}

function declarationsAt({ target, context, descriptor }: DecoratorCall): Declaration[] {
  if (typeof context === "object" && context !== null && "kind" in context) {
    return declarationsOfStandard(target, context as DecoratorContext);
  }
  if (context === undefined && descriptor === undefined && typeof target === "function") {
    return declarationsOfClass(target as AnyClass);
  }
  if (typeof target !== "object" || target === null || typeof context !== "string") {
    throw new TypeError(MISUSED);
  }
  declarationsOfClass(target.constructor as AnyClass);
  return declarationsOfMember(target, context);
}

function declarationsOfStandard(target: unknown, context: DecoratorContext): Declaration[] {
  if (context.kind === "class") return declarationsOfClass(target as AnyClass);
  const { name, static: isStatic, private: isPrivate } = context;
  if (typeof name !== "string" || isStatic || isPrivate) throw new TypeError(MISUSED);
  const { metadata } = context as { readonly metadata?: object };
  if (metadata !== undefined) return declarationsOfMember(metadata, name);
  throw new TypeError( // tsc emits metadata objects only where the symbol is defined
    'Cannot use a declaration as a decorator: define Symbol.metadata first, as Symbol.for("Symbol.metadata")',
  );
}

/** All classes that are known to have declarations. */
export function decoratedClasses(): readonly AnyClass[] {
  return [...CLASSES.keys()];
}

/** Whether a class belongs to a type, of whichever schema. */
export function isBound(target: AnyClass): boolean {
  return BOUND.has(target);
}

/** The declarations of a class. It and its members count as bound from now on. */
export function bindClass(target: AnyClass): ClassDeclarations {
  const own: Declaration[] = [];
  const members: Members = new Map();
  for (const level of inheritanceOf(target)) {
    BOUND.add(level);
    own.push(...CLASSES.get(level) ?? []);
    for (const key of [level.prototype, metadataOf(level)]) {
      const found = key && MEMBERS.get(key);
      if (found === undefined) continue;
      UNBOUND.delete(found);
      for (const [name, declarations] of found) {
        members.set(name, [...members.get(name) ?? [], ...declarations]);
      }
    }
  }
  return { own, members };
}

/** A class and the classes it extends. */
export function inheritanceOf(target: AnyClass): readonly AnyClass[] {
  const parent: unknown = Object.getPrototypeOf(target);
  return typeof parent !== "function" || parent === Function.prototype
    ? [target]
    : [target, ...inheritanceOf(parent as AnyClass)];
}

/** Name of a decorated member of a class that was never bound to a type. */
export function unboundMember(): string | undefined {
  const [members] = UNBOUND;
  return members?.keys().next().value;
}

function declarationsOfClass(target: AnyClass): Declaration[] {
  const declarations = CLASSES.get(target) ?? [];
  CLASSES.set(target, declarations);
  return declarations;
}

function declarationsOfMember(key: object, name: string): Declaration[] {
  const members: Members = MEMBERS.get(key) ?? new Map();
  MEMBERS.set(key, members);
  UNBOUND.add(members);
  const declarations = members.get(name) ?? [];
  members.set(name, declarations);
  return declarations;
}

/** The metadata object of a class; compilers store it under a common symbol where the runtime has none. */
function metadataOf(target: AnyClass): object | undefined {
  const symbol = (Symbol as { readonly metadata?: symbol }).metadata ??
    Symbol.for("Symbol.metadata");
  const value: unknown = Object.getOwnPropertyDescriptor(target, symbol)?.value;
  return typeof value === "object" && value !== null ? value : undefined;
}
