/**
 * Source maps, https://tc39.es/ecma426/: from within a module, with the path it had on this machine, to a file beside it.
 *
 * @module
 */

/** A module without its source map, and the map. */
export interface MappedModule {
  readonly text: string;
  /** The map's text; none if the module has no map. */
  readonly map?: string;
}

/** A map, as far as it is changed here. */
interface SourceMap {
  readonly mappings: string;
  readonly sourcesContent: readonly string[];
}

const INLINE_REGEXP =
  /(?:^|\n)\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+\/=]+)\s*$/;

/**
 * Takes the map out of a module.
 *
 * @param name The module's file name: `path.js`. Its source is called `path.ts`, and is in the map.
 * @param linesBefore How many lines were put before the module's own.
 */
export function splitSourceMap(name: string, text: string, linesBefore = 0): MappedModule {
  const [comment, base64] = INLINE_REGEXP.exec(text) ?? [];
  if (comment === undefined || base64 === undefined) return { text };
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const { mappings, sourcesContent }: SourceMap = JSON.parse(new TextDecoder().decode(bytes));
  const map = {
    version: 3,
    file: name,
    sources: [name.replace(/\.js$/, ".ts")],
    sourcesContent,
    names: [],
    mappings: ";".repeat(linesBefore) + mappings,
  };
  return {
    text: `${text.slice(0, -comment.length)}\n//# sourceMappingURL=${name}.map\n`,
    map: JSON.stringify(map),
  };
}
