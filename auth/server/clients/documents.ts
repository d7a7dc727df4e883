/**
 * Clients whose id is the URL of a document about them: draft-ietf-oauth-client-id-metadata-document. The document is fetched from a
 * server that whoever sends a request has chosen, so each step is limited.
 *
 * @module
 */

import { type FetchedJson, FetchError, type FetchFunction, fetchJson } from "../../_fetch_json.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../../_options.ts";
import { parseUrl } from "../../_origin.ts";
import { readScope } from "../../_scope.ts";
import { isJsonObject } from "../../_strict_json.ts";
import { isWorkerd } from "../../_workerd.ts";
import { AuthError } from "../../error.ts";
import type {
  ClientAuthenticationMethod,
  ClientStore,
  RegisteredClient,
} from "../../stores/server_types.ts";
import { isMetadataFailure, type MetadataRules, readClientMetadata } from "./metadata.ts";
import { limitOutbound, remember } from "./_outbound.ts";
import { isPublicName } from "./public_host.ts";
import type { ClientIdMetadataOptions } from "./types.ts";

/** Finds clients by the URLs of their documents: `null` if a document is refused. */
export type ClientDocuments = Pick<ClientStore, "find">;

/** What the documents of a server need of it. */
export interface DocumentContext {
  readonly now: () => number;
  /** Start of error messages. */
  readonly action: string;
  /** Supported ways to authenticate: a document has no secret. */
  readonly methods: readonly ClientAuthenticationMethod[];
  /** Fetches documents unless the options say otherwise. */
  readonly fetch: FetchFunction | undefined;
}

/** A document that was fetched, or why not. */
interface Entry {
  /** `null` if the document was refused. */
  readonly client: RegisteredClient | null;
  /** Until when it is not fetched again. */
  readonly freshUntil: number;
  /** Until when it is used if it cannot be fetched. */
  readonly usableUntil: number;
}

/** Bytes and milliseconds of one fetch. */
const LIMITS = { maxBytes: 65_536, timeoutMs: 5_000 } as const;

/** Seconds that a document is used, whatever its `Cache-Control` says. */
const MIN_AGE = 60;
const DEFAULT_AGE = 3_600;
const MAX_AGE = 86_400;

/** Seconds that a document is used after that, while its server does not answer. */
const STALE_AGE = 86_400;

/** Creates the source of clients. @throws {TypeError} If an option is unknown or of a wrong shape. */
export function clientDocuments(
  options: ClientIdMetadataOptions,
  { now, action, methods, ...defaults }: DocumentContext,
): ClientDocuments {
  rejectUnknownOptions(`${action}: clientIdMetadata`, options, NAMES);
  const { allow, fetch = defaults.fetch } = options;
  checkOptionalFunction(action, "clientIdMetadata.allow", allow);
  checkOptionalFunction(action, "clientIdMetadata.fetch", fetch);
  const scope = readScope(action, options.scope);
  const entries = new Map<string, Entry>();
  const fetches = new Map<string, Promise<Entry>>();
  const outbound = limitOutbound(now, UNREACHABLE);

  /** Fetches the document once for all requests that need it. */
  async function refresh(url: URL): Promise<Entry> {
    const shared = fetches.get(url.href);
    if (shared !== undefined) return await shared;
    const fetching = load(url);
    if (isWorkerd()) return await fetching; // requests cannot share a promise there
    const own = fetching.finally(() => fetches.delete(url.href));
    fetches.set(url.href, own);
    return await own;
  }

  async function load(url: URL): Promise<Entry> {
    const entry = await outbound(url.host, () => loadEntry(url));
    remember(entries, url.href, entry);
    return entry;
  }

  async function loadEntry(url: URL): Promise<Entry> {
    const fetchedAt = now();
    const refusedUntil = fetchedAt + MIN_AGE;
    const refused = { client: null, freshUntil: refusedUntil, usableUntil: refusedUntil };
    if (allow !== undefined && await allow(new URL(url)) !== true) return refused;
    const document = await fetchDocument(url, fetch);
    const client = document && readDocument(url, document.value, { methods, scope, fetchedAt });
    if (document === undefined || client === undefined) return refused;
    const age = Math.min(Math.max(document.maxAge ?? DEFAULT_AGE, MIN_AGE), MAX_AGE);
    const freshUntil = fetchedAt + age;
    return { client, freshUntil, usableUntil: freshUntil + STALE_AGE };
  }

  return {
    async find(clientId) {
      const url = documentUrl(clientId);
      if (url === undefined) return null;
      const known = entries.get(clientId);
      if (known !== undefined && now() < known.freshUntil) return known.client;
      try {
        return (await refresh(url)).client;
      } catch (error) {
        const { client = null, usableUntil = 0 } = known ?? {};
        const at = now();
        if (at >= usableUntil || !(error instanceof AuthError)) throw error;
        // Not every request waits for a server that is down
        const freshUntil = Math.min(at + MIN_AGE, usableUntil);
        if (entries.get(clientId) === known) {
          remember(entries, clientId, { client, freshUntil, usableUntil });
        }
        return client;
      }
    },
  };
}

const NAMES: OptionNames<ClientIdMetadataOptions> = { allow: true, fetch: true, scope: true };

/** Whether an id is the URL of a document; whether it may be fetched is not checked. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith("https://");
}

/** RFC 3986 without what is not needed: no user, port, query, fragment, and no `%` that could hide a dot. */
const URL_REGEXP = /^https:\/\/[a-z\d.-]+(?:\/[\w.~!$&'()*+,;=:@-]*)+$/;

const MAX_LENGTH = 512;

/** The URL of an id, §3: `https`, with a path, spelled as URL parsers do, and on a public host. */
function documentUrl(clientId: string): URL | undefined {
  if (clientId.length > MAX_LENGTH || !URL_REGEXP.test(clientId)) return undefined;
  const url = parseUrl(clientId);
  if (url === undefined || url.href !== clientId || url.pathname === "/") return undefined;
  return isPublicName(url.hostname) ? url : undefined;
}

/** Media types of a document, RFC 8259 and RFC 6839 §3.1. */
const JSON_REGEXP = /^application\/(?:[\w.-]+\+)?json$/i;

/** A document; `undefined` if its server has none. @throws {AuthError} If there is no answer that says so. */
async function fetchDocument(
  url: URL,
  send: FetchFunction = globalThis.fetch,
): Promise<FetchedJson | undefined> {
  let type = "";
  const fetch: FetchFunction = async (address, init) => {
    const response = await send(address, init);
    [type = ""] = (response.headers.get("content-type") ?? "").split(";", 1);
    return response;
  };
  try {
    const document = await fetchJson(url.href, { ...LIMITS, accept: "application/json", fetch });
    return JSON_REGEXP.test(type.trim()) ? document : undefined;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { failure, status = 0 } = error;
    if (failure === "connection" || status === 429 || status >= 500) throw unreachable(error);
    return undefined;
  }
}

/** §4.1: the document names its own URL, and nothing in it is secret. */
function readDocument(
  { href, host, origin }: URL,
  document: unknown,
  { fetchedAt, ...rules }: Pick<MetadataRules, "methods" | "scope"> & {
    readonly fetchedAt: number;
  },
): RegisteredClient | undefined {
  if (!isJsonObject(document) || document["client_id"] !== href || hasSecret(document)) {
    return undefined;
  }
  const description = readClientMetadata(document, {
    ...rules,
    defaultMethod: "none",
    defaultName: host,
  });
  if (isMetadataFailure(description)) return undefined;
  // The one address that is verified is that of the document
  const clientUri = `${origin}/`;
  return {
    clientId: href,
    ...description,
    clientUri,
    registeredAt: fetchedAt,
    version: "document",
  };
}

/** Members of private and symmetric keys, RFC 7518 §6. */
const PRIVATE_MEMBERS = ["d", "k", "p", "q"] as const;

function hasSecret({ client_secret, client_secret_expires_at, jwks }: Record<string, unknown>) {
  const keys = isJsonObject(jwks) && Array.isArray(jwks["keys"]) ? jwks["keys"] : [];
  return client_secret !== undefined || client_secret_expires_at !== undefined ||
    keys.some((key) => isJsonObject(key) && PRIVATE_MEMBERS.some((name) => name in key));
}

/** Why an {@linkcode AuthError} was thrown: not the client's fault, and it may try again. */
export const UNREACHABLE = "client_document_unreachable";

function unreachable(cause?: unknown): AuthError {
  return new AuthError("service_unavailable", { reason: UNREACHABLE, cause });
}
