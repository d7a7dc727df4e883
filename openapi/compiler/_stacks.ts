/**
 * Records where an application defines its routes, while it is imported.
 *
 * @module
 */

/** A location in a source file. */
export interface SourceLocation {
  /** URL of the file; its path on some runtimes. */
  readonly file: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1, in UTF-16 code units. */
  readonly column: number;
}

/** A stack frame of V8 and JavaScriptCore (https://v8.dev/docs/stack-trace-api). */
interface StackFrame {
  getScriptNameOrSourceURL?(): string | null | undefined;
  getFileName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** The stack trace settings of these engines. */
interface StackSettings {
  stackTraceLimit?: number | undefined;
  prepareStackTrace?: ((error: unknown, frames: StackFrame[]) => unknown) | undefined;
}

/**
 * Key of the listener that routers and `@Controller` call; shared by all copies of this package, see
 * `router/_origin.ts`.
 */
const LISTENER = Symbol.for("gatehouse.reportDefinition");

const recorded: WeakMap<object, readonly SourceLocation[]> = new WeakMap();

/** Records from now on where routes are added and controllers are defined. */
export function listenForDefinitions(): void {
  Object.defineProperty(globalThis, LISTENER, {
    value: (target: object) => void recorded.set(target, currentLocations()),
    configurable: true,
  });
}

/** The stack trace that was recorded for an object, innermost location first; empty if there is none. */
export function locationsOf(target: object): readonly SourceLocation[] {
  return recorded.get(target) ?? [];
}

/** The locations of the current stack trace. Its text cannot be used: runtimes format file names differently. */
function currentLocations(): readonly SourceLocation[] {
  const settings: StackSettings = Error as object;
  const { stackTraceLimit, prepareStackTrace } = settings;
  settings.stackTraceLimit = 100; // an application may add its routes through helper functions
  settings.prepareStackTrace = (_, frames) => frames;
  try {
    const frames = new Error().stack as unknown;
    return Array.isArray(frames) ? frames.flatMap(frameLocation) : [];
  } finally {
    settings.stackTraceLimit = stackTraceLimit;
    settings.prepareStackTrace = prepareStackTrace;
  }
}

function frameLocation(frame: StackFrame): readonly SourceLocation[] {
  const file = frame.getScriptNameOrSourceURL?.() ?? frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  return file && line !== null && column !== null ? [{ file, line, column }] : [];
}
