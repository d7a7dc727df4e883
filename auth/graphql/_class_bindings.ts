/**
 * Which class belongs to which type.
 *
 * @module
 */

import {
  bindClass,
  type ClassDeclarations,
  decoratedClasses,
  inheritanceOf,
  isBound,
  unboundMember,
} from "./_decorated.ts";
import type { CompositeTypeLike } from "./schema_types.ts";
import type { AnyClass, ProtectSchemaOptions } from "./types.ts";

/** The declarations of classes by type. @throws {TypeError} If one would protect nothing. */
export function bindClasses(
  types: readonly CompositeTypeLike[],
  given: ProtectSchemaOptions["types"],
): ReadonlyMap<string, readonly ClassDeclarations[]> {
  const byType = given === undefined ? classesByName(types) : classesGiven(types, given);
  const fields = new Map(types.map((type) => [type.name, type.getFields()]));
  const unknown = new Map<AnyClass, Set<string>>();
  const bound = new Map([...byType].map(([name, classes]) => [
    name,
    classes.map((target) => {
      const declarations = bindClass(target);
      const missing = [...declarations.members.keys()]
        .filter((member) => !Object.hasOwn(fields.get(name) ?? {}, member));
      const before = unknown.get(target);
      // of several types, one has the field
      unknown.set(target, new Set(before ? missing.filter((one) => before.has(one)) : missing));
      return declarations;
    }),
  ]));
  for (const [target, members] of unknown) {
    const [member] = members;
    if (member === undefined) continue;
    throw new TypeError(
      `Cannot protect schema: ${target.name}.${member} has a declaration, and its type has no such field`,
    );
  }
  const member = given === undefined ? unboundMember() : undefined;
  if (member === undefined) return bound;
  throw new TypeError(
    `Cannot protect schema: the class of the decorated member ${member} is unknown; decorate the class too, or name it in types`,
  );
}

/** Each decorated class belongs to the type of its name. */
function classesByName(types: readonly CompositeTypeLike[]): Map<string, readonly AnyClass[]> {
  const names = new Set(types.map(({ name }) => name));
  const byType = new Map<string, readonly AnyClass[]>();
  for (const target of decoratedClasses().filter(({ name }) => names.has(name))) {
    if (byType.has(target.name)) {
      throw new TypeError(
        `Cannot protect schema: there are two decorated classes ${target.name}; name one in types`,
      );
    }
    byType.set(target.name, [target]);
  }
  const bound = new Set([...byType.values()].flat().flatMap(inheritanceOf));
  const other = decoratedClasses().find((target) => !bound.has(target) && !isBound(target));
  if (other === undefined) return byType;
  throw new TypeError(
    `Cannot protect schema: there is no type ${other.name} for the decorated class; name the classes in types`,
  );
}

function classesGiven(
  types: readonly CompositeTypeLike[],
  given: Readonly<Record<string, AnyClass | readonly AnyClass[]>>,
): Map<string, readonly AnyClass[]> {
  return new Map(
    Object.entries(given).map(([name, value]) => {
      if (!types.some((type) => type.name === name)) throw unknownType("types", name);
      const classes: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (classes.every((one) => typeof one === "function")) {
        return [name, classes as readonly AnyClass[]];
      }
      throw new TypeError(`Cannot protect schema: types.${name} must be a class, or an array`);
    }),
  );
}

/** The error of a name that no type has which could be declared. */
export function unknownType(option: string, name: string): TypeError {
  return new TypeError(
    `Cannot protect schema: ${option} names ${name}, which is not an object type or an interface`,
  );
}
