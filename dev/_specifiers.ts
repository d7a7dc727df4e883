/**
 * Where a module names other modules, as the TypeScript compiler parses it: comments with examples, and strings that only
 * look like imports, are none.
 *
 * @module
 */

/** The compiler, as `deno.lock` has it; not a literal at its import, so that nothing loads it before. */
const COMPILER: string = "npm:typescript@6.0.3";

/** A node of the compiler's tree, as far as it is read here. */
interface Node {
  readonly kind: number;
  readonly moduleSpecifier?: Node;
  readonly argument?: Node & { readonly literal?: Node };
  readonly expression?: Node;
  readonly arguments?: readonly Node[];
  readonly importClause?: { readonly namedBindings?: { readonly elements?: readonly Binding[] } };
  readonly text?: string;
  getStart(): number;
  getEnd(): number;
}

/** A name in braces, with the one that it has in its own module if that is another. */
interface Binding {
  readonly name: { readonly text: string };
  readonly propertyName?: { readonly text: string };
}

/** The part of the compiler that is used here. */
interface Compiler {
  createSourceFile(name: string, text: string, target: number, setParents: true): Node;
  forEachChild(node: Node, visit: (child: Node) => void): void;
  isStringLiteral(node: Node): boolean;
  isImportTypeNode(node: Node): boolean;
  isCallExpression(node: Node): boolean;
  readonly ScriptTarget: { readonly ESNext: number };
  readonly SyntaxKind: { readonly ImportKeyword: number };
}

/** A module's name in another module's text. */
export interface Specifier {
  readonly text: string;
  /** Where the name itself starts, and where it ends, without quotation marks. */
  readonly start: number;
  readonly end: number;
  /** What is imported of it by `import { … }`. */
  readonly names: readonly string[];
}

/** Finds the modules that a text imports, and exports from. */
export type FindSpecifiers = (path: string, text: string) => readonly Specifier[];

/** Loads the compiler, which is not small. */
export async function loadSpecifiers(): Promise<FindSpecifiers> {
  const { default: compiler } = await import(COMPILER) as { readonly default: Compiler };
  return (path, text) => findSpecifiers(compiler, path, text);
}

/** Replaces the names of modules in a text. What `rename` returns nothing for stays as it is. */
export function renameSpecifiers(
  text: string,
  specifiers: readonly Specifier[],
  rename: (specifier: string) => string | undefined,
): string {
  let renamed = "";
  let at = 0;
  for (const { text: name, start, end } of specifiers) {
    renamed += text.slice(at, start) + (rename(name) ?? name);
    at = end;
  }
  return renamed + text.slice(at);
}

function findSpecifiers(compiler: Compiler, path: string, text: string): Specifier[] {
  const found: Specifier[] = [];
  const visit = (node: Node): void => {
    const name = nameIn(compiler, node);
    if (name !== undefined && compiler.isStringLiteral(name)) {
      found.push({
        text: name.text ?? "",
        start: name.getStart() + 1,
        end: name.getEnd() - 1,
        names: (node.importClause?.namedBindings?.elements ?? [])
          .map(({ name, propertyName }) => (propertyName ?? name).text),
      });
    }
    compiler.forEachChild(node, visit);
  };
  visit(compiler.createSourceFile(path, text, compiler.ScriptTarget.ESNext, true));
  return found.sort((a, b) => a.start - b.start);
}

/** The node of a module's name: `import … from`, `export … from`, `import()`, and a type's `import("…")`. */
function nameIn(compiler: Compiler, node: Node): Node | undefined {
  if (compiler.isImportTypeNode(node)) return node.argument?.literal;
  if (!compiler.isCallExpression(node)) return node.moduleSpecifier;
  return node.expression?.kind === compiler.SyntaxKind.ImportKeyword
    ? node.arguments?.[0]
    : undefined;
}
