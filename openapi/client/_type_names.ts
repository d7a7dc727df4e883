/**
 * Names of the types of a document's components.
 *
 * @module
 */

/** Words that are no names of types, ECMA-262 §12.7.2 and TypeScript's own. */
const RESERVED: ReadonlySet<string> = new Set(
  ("any arguments as async await bigint boolean break case catch class const continue debugger default delete do else enum " +
    "eval export extends false finally for function if implements import in infer instanceof interface keyof let never new " +
    "null number object package private protected public readonly return static string super switch symbol this throw true " +
    "try type typeof undefined unique unknown var void while with yield").split(" "),
);

const COMMENT_REGEXP = /\/\*\*.*?\*\/|\/\/.*?$/gms;

const TYPE_REGEXP = /\b[A-Z]\w*/g;

/**
 * A name for each component: its own where that is an identifier and free.
 *
 * @param texts What else is in the module: names of its types and of the global types that it uses are not free. Types that
 * the last text declares are in a scope of their own.
 */
export function typeNames(
  components: readonly string[],
  texts: readonly string[],
): ReadonlyMap<string, string> {
  const [scope = "", ...module] = [...texts].reverse().map((text) =>
    text.replace(COMMENT_REGEXP, "")
  );
  const inner = new Set([...scope.matchAll(/^(?:interface|type) (\w+)/gm)].map(([, name]) => name));
  const used = scope.match(TYPE_REGEXP)?.filter((name) => !inner.has(name)) ?? [];
  const taken = new Set([...RESERVED, ...used, ...module.join("\n").match(TYPE_REGEXP) ?? []]);
  const names = new Map<string, string>();
  for (const component of components) {
    const base = component.replace(/[^A-Za-z0-9_$]+/g, "_").replace(/^(?=\d|$)/, "_");
    let name = taken.has(base) ? `${base}Schema` : base;
    for (let n = 2; taken.has(name); n++) name = `${base}Schema${n}`;
    taken.add(name);
    names.set(component, name);
  }
  return names;
}
