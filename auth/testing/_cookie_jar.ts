/**
 * A cookie jar as browsers have it, RFC 6265bis §5.7 and §5.8, for the cookies of one origin.
 *
 * @module
 */

/** Cookies by name, domain and path. */
export interface CookieJar {
  /** Stores the cookies of a response to a request for a URL. */
  store(url: URL, cookies: readonly string[]): void;
  /** Value of the field `Cookie` for a URL; `undefined` without cookies. */
  field(url: URL): string | undefined;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Whether hosts below the domain do not get it. */
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  /** When it expires, in seconds since the epoch; never before the client is gone by default. */
  readonly until: number;
}

/** Creates an empty jar. @param now The time, in seconds since the epoch. */
export function createCookieJar(now: () => number): CookieJar {
  const cookies = new Map<string, Cookie>();
  return {
    store(url, fields) {
      for (const field of fields) {
        const cookie = readSetCookie(url, field, now());
        if (cookie === undefined) continue;
        const key = [cookie.name, cookie.domain, cookie.path].join(";");
        cookies.delete(key);
        if (cookie.until > now()) cookies.set(key, cookie);
      }
    },
    field(url) {
      const sent = [...cookies.values()].filter((cookie) => isSentTo(cookie, url, now()))
        .sort((a, b) => b.path.length - a.path.length); // §5.8.3: longer paths first
      if (sent.length === 0) return undefined;
      return sent.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
  };
}

/** Reads a `Set-Cookie` field. @returns `undefined` if a browser ignores it. */
function readSetCookie(url: URL, field: string, now: number): Cookie | undefined {
  const [pair = "", ...rest] = field.split(";");
  const [name, value] = split(pair);
  const attributes = new Map(rest.map(split).map(([key, text]) => [key.toLowerCase(), text]));
  const domain = attributes.get("domain")?.replace(/^\./, "").toLowerCase() ?? "";
  const path = attributes.get("path") ?? "";
  const secure = attributes.has("secure");
  const isRefused = name === "" || (domain !== "" && !isDomainOf(domain, url.hostname)) ||
    (secure && !isTrustworthy(url)) || (/^__(?:Host|Secure)-/i.test(name) && !secure) ||
    (/^__Host-/i.test(name) && (domain !== "" || path !== "/"));
  if (isRefused) return undefined;
  const age = attributes.get("max-age") ?? "";
  const expires = Date.parse(attributes.get("expires") ?? "") / 1000;
  return {
    name,
    value,
    domain: domain === "" ? url.hostname : domain,
    hostOnly: domain === "",
    path: path.startsWith("/") ? path : defaultPath(url.pathname),
    secure,
    until: /^-?\d+$/.test(age) // it has precedence over `Expires`
      ? now + Number(age)
      : Number.isNaN(expires)
      ? Infinity
      : expires,
  };
}

function split(text: string): [name: string, value: string] {
  const [name = "", ...value] = text.split("=");
  return [name.trim(), value.join("=").trim()];
}

/** RFC 6265bis §5.1.4. */
function defaultPath(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf("/")) || "/";
}

function isSentTo(cookie: Cookie, url: URL, now: number): boolean {
  const { domain, hostOnly, path, secure, until } = cookie;
  const isOfHost = hostOnly ? domain === url.hostname : isDomainOf(domain, url.hostname);
  const isBelow = url.pathname === path ||
    url.pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
  return until > now && isOfHost && isBelow && (!secure || isTrustworthy(url));
}

function isDomainOf(domain: string, host: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** Browsers send `Secure` cookies to this machine without TLS, too. */
function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === "https:" ||
    /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
