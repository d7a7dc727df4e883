/**
 * Responses that keep a text or bytes as they are. Node creates a stream for the body of each response, which takes more time
 * than all else of it; here there is one once somebody asks for it. Applications get them by replacing the global class.
 *
 * @module
 */

import process from "node:process";
import { HOST } from "../router/internals.ts";
import { standFor } from "./native_node_headers.ts";
import { isAccepted, unwrap } from "./native_node_request.ts";

/** The body of a {@linkcode KnownResponse}. */
export type KnownBody = string | Uint8Array<ArrayBuffer>;

const NativeResponse: typeof Response = Response;

/** Statuses without a body, Fetch §2.2.3: the platform's constructor refuses one. */
const NULL_BODY_STATUSES: readonly number[] = [101, 103, 204, 205, 304];

/** The status, if `init` has nothing else; `undefined` also for what the platform's constructor is to judge. */
function statusOnly(init: ResponseInit | null | undefined): number | undefined {
  if (init === undefined || init === null) return 200;
  if (typeof init !== "object") return undefined;
  const { status = 200, statusText, headers } = init;
  const isPlain = statusText === undefined && headers === undefined && Number.isInteger(status);
  return isPlain && status >= 200 && status <= 599 ? status : undefined;
}

/**
 * A `Response` by its prototype, which creates the platform's when it is needed: at once, if it has more than a status and a text
 * or bytes. Servers that know the platform's internals would send none: see {@linkcode useKnownResponses}. What is not defined
 * here, {@linkcode standFor} passes on to the platform's.
 */
export class KnownResponse {
  #known: KnownBody | undefined = undefined;
  /** Content-Type, while it is the only field and nobody has asked for the fields. */
  #type: string | undefined = undefined;
  #status = 200;
  /** The platform's response without the body: its fields count. */
  #head: Response | undefined = undefined;
  /** The platform's response with the body, once that is read. */
  #full: Response | undefined = undefined;

  /** The platform's response. */
  static nativeOf(response: KnownResponse): Response {
    return response.#known === undefined ? response.#native : response.#whole;
  }

  /** Creates a response; a string or bytes are kept, anything else is the platform's. */
  constructor(body?: BodyInit | null, init?: ResponseInit) {
    const keeps = (typeof body === "string" || body instanceof Uint8Array) &&
      !NULL_BODY_STATUSES.includes(init?.status ?? 200);
    this.#begin(keeps ? null : body, init);
    if (!keeps) return;
    this.#known = typeof body === "string" ? body : new Uint8Array(body);
    if (typeof body === "string") this.#setType("text/plain;charset=UTF-8", init); // Fetch §5.2
  }

  /** A response with JSON. */
  static json(data: unknown, init?: ResponseInit): Response {
    const text: string | undefined = JSON.stringify(data);
    if (text === undefined) throw new TypeError("Value is not JSON serializable");
    return KnownResponse.of(text, "application/json", init);
  }

  /** Creates a response with a text, or bytes that nobody changes, of a type unless there is another one in `init`. */
  static of(body: KnownBody, type: string, init?: ResponseInit): Response {
    if (NULL_BODY_STATUSES.includes(init?.status ?? 200)) return new NativeResponse(body, init); // throws
    const response = new KnownResponse(null, init);
    response.#known = body;
    response.#setType(type, init);
    return response as unknown as Response;
  }

  #begin(body: BodyInit | null | undefined, init: ResponseInit | undefined): void {
    const status = body === null || body === undefined ? statusOnly(init) : undefined;
    if (status === undefined) this.#head = new NativeResponse(body, init);
    else this.#status = status;
  }

  #setType(type: string, init: ResponseInit | undefined): void {
    if (init?.headers === undefined) this.#type = type;
    else if (!this.#native.headers.has("Content-Type")) {
      this.#native.headers.set("Content-Type", type);
    }
  }

  /** Takes the body, if it is known and nobody has read it. From then on it counts as read. */
  static take(response: Response): KnownBody | undefined {
    if (!(#known in response) || response.#full !== undefined) return undefined;
    const known = response.#known;
    if (known !== undefined) response.#full = usedResponse();
    return known;
  }

  /** Content-Type, if there is no other field. */
  static typeOf(response: Response): string | undefined {
    return #type in response ? response.#type : undefined;
  }

  get status(): number {
    return this.#head?.status ?? this.#status;
  }

  get statusText(): string {
    return this.#head?.statusText ?? "";
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  get headers(): Headers {
    const { headers } = this.#native;
    if (this.#type === undefined) return headers;
    headers.set("Content-Type", this.#type);
    this.#type = undefined;
    return headers;
  }

  get bodyUsed(): boolean {
    return (this.#known === undefined ? this.#head : this.#full)?.bodyUsed ?? false;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await KnownResponse.nativeOf(this).arrayBuffer()); // Node 20 has no bytes()
  }

  clone(): Response {
    if (this.#known === undefined) return this.#native.clone();
    if (this.#full !== undefined) return this.#full.clone();
    const { status, statusText, headers } = this;
    return new KnownResponse(this.#known, { status, statusText, headers }) as unknown as Response;
  }

  get #native(): Response {
    return this.#head ??= new NativeResponse(null, { status: this.#status });
  }

  get #whole(): Response {
    return this.#full ??= new NativeResponse(this.#known, {
      status: this.status,
      statusText: this.statusText,
      headers: this.headers,
    });
  }
}

/** A response whose body was read. */
function usedResponse(): Response {
  return used ??= createUsed();
}

let used: Response | undefined;

function createUsed(): Response {
  const response = new NativeResponse("-");
  response.body?.cancel().catch(() => {});
  return response;
}

/**
 * Has the router create such responses. On Node everything reads responses by their public members; on Deno and Bun the
 * platform's servers do not, so there this does nothing.
 */
export function useKnownResponses(): boolean {
  const { deno, bun } = process.versions as Readonly<Record<string, string | undefined>>;
  if (deno !== undefined || bun !== undefined) return false;
  if (HOST.createResponse === KnownResponse.of) return true;
  standFor(KnownResponse, NativeResponse, new NativeResponse(), KnownResponse.nativeOf);
  Object.setPrototypeOf(KnownResponse, NativeResponse); // for Response.error() and Response.redirect()
  HOST.createResponse = KnownResponse.of;
  return true;
}

const NativeRequest: typeof Request = Request;

/** Whether a value is an instance of a class that stands for the platform's, or of a subclass of that. */
function hasInstance(
  self: unknown,
  own: unknown,
  native: typeof Request | typeof Response,
  value: unknown,
): boolean {
  return self === own
    ? value instanceof native
    : Function.prototype[Symbol.hasInstance].call(self, value);
}

class GlobalResponse extends KnownResponse {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasInstance(this, GlobalResponse, NativeResponse, value);
  }
}

class GlobalRequest extends NativeRequest {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(unwrap(input), init);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasInstance(this, GlobalRequest, NativeRequest, value);
  }
}

let areReplaced = false;

/**
 * Replaces `Response`, and if the platform accepts no lazy request, `Request` and `fetch()`, which then do. All instances of the
 * platform's classes are instances of the new ones.
 */
export function replaceGlobals(): void {
  if (areReplaced) return;
  areReplaced = true;
  replace("Response", GlobalResponse);
  if (isAccepted()) return;
  replace("Request", GlobalRequest);
  const nativeFetch = globalThis.fetch;
  replace(
    "fetch",
    (input: RequestInfo | URL, init?: RequestInit) => nativeFetch(unwrap(input), init),
  );
}

function replace(name: string, value: object): void {
  Object.defineProperty(value, "name", { configurable: true, value: name });
  Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
}
