/**
 * The header fields of a request on Node. Creating the platform's object takes longer than routing: single fields are read
 * without it.
 *
 * @module
 */

/** Completes a class whose instances stand for the platform's, without its constructor: that would create one. */
export function standFor<Own extends object, Native extends object>(
  own: { readonly prototype: Own },
  native: { readonly prototype: Native },
  example: Native,
  nativeOf: (instance: Own) => Native,
): void {
  const { prototype } = own;
  Object.setPrototypeOf(prototype, native.prototype);
  // Where the platform keeps the state of its objects under symbols, it finds the state here, too.
  const state = Object.getOwnPropertySymbols(example);
  for (const name of [...Reflect.ownKeys(native.prototype), ...state]) {
    if (Object.hasOwn(prototype, name)) continue;
    const member = Object.getOwnPropertyDescriptor(native.prototype, name);
    const value: unknown = member?.value;
    if (member !== undefined && member.get === undefined && typeof value !== "function") continue; // a constant
    Object.defineProperty(prototype, name, {
      configurable: true,
      ...(typeof value === "function"
        ? {
          writable: true,
          value: function (this: Own, ...args: unknown[]): unknown {
            return Reflect.apply(value, nativeOf(this), args);
          },
        }
        : {
          get(this: Own): unknown {
            return Reflect.get(nativeOf(this), name);
          },
        }),
    });
  }
}

const TOKEN_REGEXP = /^[!#$%&'*+.^_`|~\w-]+$/;
const OUTER_SPACE_REGEXP = /^[\t ]|[\t ]$/;

/** `Headers` by its prototype. What is not defined here is passed on to the platform's. */
export class NodeHeaders {
  readonly #raw: readonly string[];
  #native: Headers | undefined = undefined;

  /** @param raw Names and values in turn, as received. */
  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  /** The platform's object, which counts from then on. */
  static nativeOf(headers: NodeHeaders): Headers {
    return headers.#native ??= readHeaders(headers.#raw);
  }

  get(name: string): string | null {
    const value = this.#find(name);
    return value === undefined ? NodeHeaders.nativeOf(this).get(name) : value;
  }

  has(name: string): boolean {
    const value = this.#find(name);
    return value === undefined ? NodeHeaders.nativeOf(this).has(name) : value !== null;
  }

  /** A field's value; `undefined` if the platform's object is to say. */
  #find(name: unknown): string | null | undefined {
    if (this.#native !== undefined || typeof name !== "string" || !TOKEN_REGEXP.test(name)) {
      return undefined;
    }
    const raw = this.#raw;
    const lower = name.toLowerCase();
    let value: string | null = null;
    for (let i = 0; i < raw.length; i += 2) {
      const other = raw[i] as string;
      if (other.length !== lower.length || other.toLowerCase() !== lower) continue;
      const next = raw[i + 1] as string;
      if (OUTER_SPACE_REGEXP.test(next)) return undefined;
      value = value === null ? next : value + (lower === "cookie" ? "; " : ", ") + next;
    }
    return value;
  }
}

/** All header fields. Repeated ones are joined; Node's own object omits some of them. */
export function readHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  let cookies: string | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [raw[i] as string, raw[i + 1] as string];
    if (name.length === 6 && name.toLowerCase() === "cookie") {
      cookies = cookies === undefined ? value : `${cookies}; ${value}`; // RFC 9113 §8.2.3
    } else headers.append(name, value);
  }
  if (cookies !== undefined) headers.append("Cookie", cookies);
  return headers;
}
