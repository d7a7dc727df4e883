/**
 * A small application behind a guard, for a browser to use and to attack: pages, and one route for each kind of content
 * that changes something.
 *
 * @module
 */

import {
  type AuthEvent,
  type AuthRuntime,
  createContainer,
  getSession,
  inMemoryAuthStores,
  json,
  pbkdf2Hasher,
  redirect,
  registerAuth,
  routerBuilder,
  type RouteRequest,
} from "../../mod.ts";

/** The application, with all that a test asks it about. */
export interface TestApp {
  readonly fetch: (request: Request, ...args: unknown[]) => Response | Promise<Response>;
  readonly runtime: AuthRuntime;
  /** What was changed: one line for each unsafe request that came through. */
  readonly changes: readonly string[];
  /** What authentication told. */
  readonly events: readonly AuthEvent[];
}

/** What a page's script has: requests as the application's own pages make them, with the token where it is asked for. */
export const CLIENT: string = `
  globalThis.send = async (method, path, body, headers = {}) => {
    const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof Blob);
    const response = await fetch(path, {
      method,
      headers: isJson ? { "Content-Type": "application/json", ...headers } : headers,
      body: isJson ? JSON.stringify(body) : body,
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  globalThis.sendWithToken = async (method, path, body) => {
    const { body: { csrfToken, header } } = await send("GET", "/auth/csrf");
    return await send(method, path, body, { [header]: csrfToken });
  };
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) new Image().src = "/restored?page=" + encodeURIComponent(location.pathname);
  });
`;

/** Makes the application. */
export function createTestApp(): TestApp {
  const changes: string[] = [];
  const events: AuthEvent[] = [];
  const container = createContainer();
  const runtime = registerAuth({
    secret: "a secret of the tests in browsers alone",
    stores: inMemoryAuthStores(),
    deployment: "direct",
    hasher: pbkdf2Hasher({ iterations: 1_000 }),
    events: (event) => void events.push(event),
    container,
  });
  const router = routerBuilder({ container })
    .withAuth(runtime.integration({
      routes: { registration: "open" },
      catch: (error, req) =>
        error.status === 401 && wantsPage(req) ? redirect("/sign-in", 303) : undefined,
    }))
    .build();

  router
    .get("/client.js", () => script(CLIENT), { auth: false })
    .get("/favicon.ico", () => new Response(null, { status: 204 }), { auth: false })
    .get("/restored", () => new Response(null, { status: 204 }), { auth: false })
    .get("/sign-in", () => page("Sign in", "Nobody is signed in"), { auth: false })
    .get("/", (req) => {
      const name = getSession(req)?.user.identifier;
      return page("Home", name === undefined ? "Nobody is signed in" : `${name} is signed in`);
    }, { auth: { mode: "optional" } })
    .get("/private", (req) => page("Private", `Secret of ${nameOf(req)}`))
    .post("/json", (req) => change(req, "json"))
    .post("/form", (req) => change(req, "form"), { multipart: true })
    .post("/raw", (req) => change(req, "raw"), { raw: true })
    .post("/open", (req) => change(req, "open"), { raw: true, auth: { mode: "optional" } })
    .delete("/item", (req) => change(req, "item"))
    .get("/socket", ({ raw }) => {
      const { socket, response } = Deno.upgradeWebSocket(raw);
      socket.onopen = () => socket.send("open");
      return response;
    });

  function change(req: RouteRequest, what: string): Response {
    changes.push(`${nameOf(req)}: ${what}`);
    return json({ changed: what });
  }
  return { fetch: router.fetch, runtime, changes, events };
}

function nameOf(req: RouteRequest): string {
  return getSession(req)?.user.identifier ?? "nobody";
}

function wantsPage({ method, headers }: RouteRequest): boolean {
  return method === "GET" && (headers.get("Accept") ?? "").includes("text/html");
}

function script(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "text/javascript" } });
}

/** A page. Names and headings are the tests' own: nothing has to be escaped. */
function page(title: string, text: string): Response {
  const markup = `<!DOCTYPE html><html lang="en"><title>${title}</title>` +
    `<script src="/client.js"></script><h1>${text}</h1>`;
  return new Response(markup, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}
