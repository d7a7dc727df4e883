/** What the compiler says of a route whose options or path do not fit names the culprit; and what `Register` changes. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { messagesByLine } from "./_messages.ts";

const MODULE = `
import { createRouter, Get, json, mountStatic, type PathParams, Post, type RequestSpec, type ResponseSpec, routerBuilder } from "@gatehouse/http";

type P<T> = RequestSpec<PathParams<T>>;
type S = ResponseSpec<number>;
const misspelt = { authorisation: { metadata: 1 } };
const router = createRouter();
const guarded = createRouter().withAuth({ guard: () => ({ sub: "" }) });
`;

/** A statement that does not compile, and what the message must say of it. */
const WRONG: readonly (readonly [statement: string, ...words: string[]])[] = [
  ["mountStatic('/', { directory: 'x', fallthrogh: true });", "'fallthrogh' does not exist"],
  ["mountStatic('/', { directory: 'x', fallthrough: 'yes' });", "'string' is not assignable"],
  ["router.get('/', () => json(1), { authorisation: 1 });", "'authorisation' does not exist"],
  ["router.get('/', () => json(1), { ...misspelt });", '"No such option"', '"authorisation"'],
  ["router.post('/', () => json(1), misspelt);", '"No such option"', '"authorisation"'],
  ["guarded.get('/', () => json(1), { ...misspelt });", '"No such option"', '"authorisation"'],
  ["guarded.post('/', () => json(1), misspelt);", '"No such option"', '"authorisation"'],
  ["router.mount('/', router, misspelt);", '"No such option"', '"authorisation"'],
  ["Get('/', { ...misspelt });", '"No such option"', '"authorisation"'],
  ["Post('/', { ...misspelt });", '"No such option"', '"authorisation"'],
  ["router.get<P<{ idd: string }>>('/:id', () => json(1));", "'\"/:id\"'", 'PathWith<"idd">'],
  ["router.post<P<{ idd: string }>>('/:id', () => json(1));", 'PathWith<"idd">'],
  ["router.get<P<{ id: string; idd: string }>>('/:id', () => json(1));", 'PathWith<"idd">'],
  ["router.get<P<{ idd?: string }>>('/:id?', () => json(1));", 'PathWithOptional<"idd">'],
  ["router.get<P<{ n: number }>>('/:n', () => json(1));", "Path parameter n is a string"],
  [
    "router.get<P<{ id: string; n: number }>>('/:id/:n', () => json(1));",
    "Path parameter n is a string",
  ],
  ["guarded.get<P<{ idd: string }>, S>('/:id', () => json(1));", 'PathWith<"idd">'],
  ["guarded.post<P<{ n: number }>, S>('/:n', () => json(1));", "Path parameter n is a string"],
  ["routerBuilder().build().get('/', () => json(1), misspelt);", '"authorisation"'],
  ["guarded.get('/', () => json(1), { auth: { maxage: 900 } });", "write 'maxAge'"],
  ["guarded.post('/', () => json(1), { auth: { maxage: 900 } });", "write 'maxAge'"],
  ["guarded.mount('/', router, { auth: { maxage: 900 } });", "write 'maxAge'"],
  ["Get('/', { auth: { maxage: 900 } });", "write 'maxAge'"],
  ["Get('/', { auth: { mode: 'optional', amr: ['mfa'] } });", "to type 'undefined'"],
];

Deno.test("createRouter() has readable messages for misspelt options and stated paths that do not fit", async () => {
  const text = MODULE + WRONG.map(([statement]) => `${statement}\n`).join("");
  const messages = await messagesByLine(text);
  const first = MODULE.split("\n").length;
  for (const [index, [statement, ...words]] of WRONG.entries()) {
    const message = messages.get(first + index) ?? "no message";
    for (const word of words) assertStringIncludes(message, word, statement);
  }
  assertEquals(messages.size, WRONG.length);
});

const REGISTERED = `
import { type AccessRules, type AuthorizationManager, type AuthRuntime, createRouter, Get, getAuthRuntime, json, Post, type Principal, registerAuth, routerBuilder, type TypedRouter, withAuthRoutes } from "@gatehouse/http";

interface Rule { readonly action: "read" | "write" }
declare module "@gatehouse/http" {
  interface Register { rules: AccessRules<Rule, "notes:read" | "notes:write"> }
}
const REED = { authorization: { metadata: { action: "reed" } } } as const;
const behind = routerBuilder().withAuth(getAuthRuntime().integration({ routes: false })).build();

class Notes {
  @Get("/", { authorization: { metadata: { action: "read" } }, scope: ["notes:read"] })
  read() { return json(1); }
  @Post("/", { authorization: "none", scope: "any", summary: "Writes" })
  write() { return json(1); }
}
behind.get("/", () => json(1), { authorization: { metadata: { action: "read" } }, scope: "any" });
withAuthRoutes(createRouter()).get("/", () => json(1), { scope: ["notes:write"] });

function add(router: TypedRouter<[], Principal>) {
  router.get("/", () => json(1), { authorization: { metadata: { action: "read" } }, scope: ["notes:read"] });
}
declare const options: Parameters<typeof registerAuth<Rule>>[0];
declare const manager: AuthorizationManager<Rule>;
const runtime: AuthRuntime = registerAuth({ ...options, authorization: manager });
add(withAuthRoutes(createRouter(), { runtime }));
add(withAuthRoutes(createRouter(), { runtime: registerAuth<unknown>({ secret: "", stores: options.stores }) }));
routerBuilder().withAuth(runtime.integration({ routes: false })).extend(add).build();
void Notes;
`;

/** What `Register` rejects. */
const UNREGISTERED: readonly (readonly [statement: string, ...words: string[]])[] = [
  ["Get('/', { authorization: { metadata: { action: 'reed' } } });", '"reed"'],
  ["Get('/', { ...REED, summary: 'Reads' });", '"reed"'],
  ["Post('/', { authorization: { metadata: { acton: 'read' } } });", "'acton'"],
  ["Post('/', { authorization: { metadata: 1 } });", "'Rule'"],
  ["Get('/', { scope: ['notes:raed'] });", '"notes:raed"'],
  ["behind.get('/', () => json(1), REED);", '"reed"'],
  ["behind.get('/', () => json(1), { scope: ['notes:raed'] });", '"notes:raed"'],
  ["withAuthRoutes(createRouter()).get('/', () => json(1), REED);", '"reed"'],
];

for (const experimentalDecorators of [false, true]) {
  const mode = experimentalDecorators ? "legacy" : "standard";
  Deno.test(`Register types the metadata and scopes of decorators and of the runtime in a container: ${mode} decorators`, async () => {
    const text = REGISTERED + UNREGISTERED.map(([statement]) => `${statement}\n`).join("");
    const messages = await messagesByLine(text, { experimentalDecorators });
    const first = REGISTERED.split("\n").length;
    for (const [index, [statement, ...words]] of UNREGISTERED.entries()) {
      const message = messages.get(first + index) ?? "no message";
      for (const word of words) assertStringIncludes(message, word, statement);
    }
    assertEquals([...messages].filter(([line]) => line < first), []);
  });
}
