/**
 * Responses that keep a text or bytes as they are. Node creates a stream for the body of each response, which takes more time
 * than all else of it; here there is one once somebody asks for it. Applications get them by replacing the global class.
 *
 * @module
 */

import process from "node:process";
import { HOST } from "../router/internals.ts";
import { isAccepted, unwrap } from "./native_node_request.ts";

/** The body of a {@linkcode KnownResponse}. */
export type KnownBody = string | Uint8Array<ArrayBuffer>;

const NativeResponse: typeof Response = Response;

/** Statuses without a body, Fetch §2.2.3: the platform's constructor refuses one. */
const NULL_BODY_STATUSES: readonly number[] = [101, 103, 204, 205, 304];

/**
 * A platform's response in all but its body. Servers that know the platform's internals would send none: see
 * {@linkcode useKnownResponses}.
 */
export class KnownResponse extends NativeResponse {
  #known: KnownBody | undefined = undefined;
  /** Content-Type, while it is the only field and nobody has asked for the fields. */
  #type: string | undefined = undefined;
  /** A response with the body, once that is read; the fields of this one count. */
  #full: Response | undefined = undefined;

  /** Creates a response; a string or bytes are kept, anything else is the platform's. */
  constructor(body?: BodyInit | null, init?: ResponseInit) {
    const keeps = (typeof body === "string" || body instanceof Uint8Array) &&
      !NULL_BODY_STATUSES.includes(init?.status ?? 200);
    super(keeps ? null : body, init);
    if (!keeps) return;
    this.#known = typeof body === "string" ? body : new Uint8Array(body);
    if (typeof body === "string") this.#setType("text/plain;charset=UTF-8", init); // Fetch §5.2
  }

  /** A response with JSON. */
  static override json(data: unknown, init?: ResponseInit): Response {
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
    return response;
  }

  #setType(type: string, init: ResponseInit | undefined): void {
    if (init?.headers === undefined) this.#type = type;
    else if (!super.headers.has("Content-Type")) super.headers.set("Content-Type", type);
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

  override get headers(): Headers {
    const headers = super.headers;
    if (this.#type === undefined) return headers;
    headers.set("Content-Type", this.#type);
    this.#type = undefined;
    return headers;
  }

  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#known === undefined ? super.body : this.#whole.body;
  }

  override get bodyUsed(): boolean {
    return this.#known === undefined ? super.bodyUsed : this.#full?.bodyUsed ?? false;
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.#known === undefined ? super.arrayBuffer() : this.#whole.arrayBuffer();
  }

  override blob(): Promise<Blob> {
    return this.#known === undefined ? super.blob() : this.#whole.blob();
  }

  override async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer()); // Node 20 has no bytes()
  }

  override formData(): Promise<FormData> {
    return this.#known === undefined ? super.formData() : this.#whole.formData();
  }

  override json(): Promise<unknown> {
    return this.#known === undefined ? super.json() : this.#whole.json();
  }

  override text(): Promise<string> {
    return this.#known === undefined ? super.text() : this.#whole.text();
  }

  override clone(): Response {
    if (this.#known === undefined) return super.clone();
    return this.#full === undefined ? new KnownResponse(this.#known, this) : this.#full.clone();
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
