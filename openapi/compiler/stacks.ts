/**
 * Notes where in its source an application says its routes, while it is imported.
 *
 * @module
 */

/** A place in a file. */
export interface SourceLocation {
  /** URL of the file; on some runtimes its path. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/** A frame of a stack, as V8 and JavaScriptCore hand it over (https://v8.dev/docs/stack-trace-api). */
interface CallSite {
  getScriptNameOrSourceURL?(): string | null | undefined;
  getFileName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** What these engines let a program change of its stacks. */
interface StackSettings {
  stackTraceLimit?: number | undefined;
  prepareStackTrace?: ((error: unknown, frames: CallSite[]) => unknown) | undefined;
}

/** Where routers and `@Controller` look for a listener: `router/_origin.ts`, of whatever copy of this package. */
const LISTENER = Symbol.for("gatehouse.reportDefinition");

const noted: WeakMap<object, readonly SourceLocation[]> = new WeakMap();

/** Notes from now on where routes are added and controllers defined. */
export function listenForDefinitions(): void {
  Object.defineProperty(globalThis, LISTENER, {
    value: (what: object) => void noted.set(what, sitesHere()),
    configurable: true,
  });
}

/** The stack that something was noted with, innermost place first; none if it was not. */
export function locationsOf(what: object): readonly SourceLocation[] {
  return noted.get(what) ?? [];
}

/** The places of the stack. A text would do, if runtimes agreed on how files stand in it. */
function sitesHere(): readonly SourceLocation[] {
  const settings: StackSettings = Error as object;
  const { stackTraceLimit, prepareStackTrace } = settings;
  settings.stackTraceLimit = 100; // an application may add its routes through helpers
  settings.prepareStackTrace = (_, frames) => frames;
  try {
    const frames = new Error().stack as unknown;
    return Array.isArray(frames) ? frames.flatMap(siteOf) : [];
  } finally {
    settings.stackTraceLimit = stackTraceLimit;
    settings.prepareStackTrace = prepareStackTrace;
  }
}

function siteOf(frame: CallSite): readonly SourceLocation[] {
  const file = frame.getScriptNameOrSourceURL?.() ?? frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  return file && line !== null && column !== null ? [{ file, line, column }] : [];
}
