/**
 * Ways to make a document wrong. An edit that would not do what it says throws, so that no mutant is
 * caught for another reason.
 *
 * @module
 */

/** A change of a document. */
export type Edit = (document: unknown) => void;

/**
 * A document that is wrong: in what, which rules of which gates say so, and what makes it so of
 * `base_document.ts`.
 */
export type Mutant = readonly [why: string, caughtBy: string, edit: Edit];

/** The names that lead to a value. */
type Path = readonly (string | number)[];
/** An object or a list in a document that is changed. */
type Container = Record<string | number, unknown>;

/** Adds a value, or puts it in the place of one. */
export function add(path: Path, value: unknown): Edit {
  return (document) => {
    const [container, name] = containerOf(document, path);
    container[name] = structuredClone(value);
  };
}

/** Changes a value that is there: otherwise the edit would do something else than it says. */
export function set(path: Path, value: unknown): Edit {
  return (document) => {
    at(document, path);
    add(path, value)(document);
  };
}

/** Removes a value that is there. */
export function remove(path: Path): Edit {
  return (document) => {
    at(document, path);
    const [container, name] = containerOf(document, path);
    if (Array.isArray(container)) container.splice(Number(name), 1);
    else delete container[name];
  };
}

/** Gives a value another name, where it is. */
export function rename(path: Path, name: string): Edit {
  return (document) => {
    const value = at(document, path);
    remove(path)(document);
    add([...path.slice(0, -1), name], value)(document);
  };
}

/** Applies several edits, one after the other. */
export function all(...edits: readonly Edit[]): Edit {
  return (document) => edits.forEach((edit) => edit(document));
}

function containerOf(document: unknown, path: Path): [Container, string | number] {
  return [at(document, path.slice(0, -1)) as Container, path.at(-1) ?? ""];
}

function at(document: unknown, path: Path): unknown {
  return path.reduce((value, name) => {
    const found = (value as Container)[name];
    if (found === undefined) {
      throw new RangeError(`Cannot edit ${path.join(" ")}: nothing is there`);
    }
    return found;
  }, document);
}
