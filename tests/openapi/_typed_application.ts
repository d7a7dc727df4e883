/**
 * The application whose routes are documented by their types.
 *
 * @module
 */

import type { TypedApplication } from "./_typed_routes.ts";

const FILES = {
  "handlers.ts": `import {
  type Handler, type Json, json, type PathParams, type QueryParams, type RequestSpec,
    type ResponseSpec, type SpecOf,
  type TypedRequest, type TypedResponse, type TypedRouter,
} from "@gatehouse/http";
import { z } from "zod";
export interface Elsewhere { here: boolean }
type Stated = RequestSpec<Json<Elsewhere>, PathParams<{ id: string }>, QueryParams<{ q?: string }>>;
export const stated: Handler<Stated, ResponseSpec<Elsewhere>> = (req) => json(req.content);
export const schema = { body: z.object({ title: z.string() }) };
export const bySchema: Handler<SpecOf<typeof schema>,
  ResponseSpec<Elsewhere>> = () => json({ here: true });
export function plain(
  _: TypedRequest<RequestSpec<PathParams<{ id: string }>>>,
): TypedResponse<Elsewhere> {
  return json({ here: true });
}
export function addPing(router: TypedRouter, path: string): void {
  router.get(path, () => json({ ping: path, at: new Date() }));
}
export function addHandler(router: TypedRouter, path: string,
  handler: () => TypedResponse<Elsewhere>): void {
  router.get(path, handler);
}
export function dated() { return json({ at: new Date(0) }); }
`,
  "same.ts": `import { Controller, Get, json, type TypedResponse } from "@gatehouse/http";
@Controller("/same/other")
export class SameController {
  @Get() list(): TypedResponse<{ other: 1 }> { return json({ other: 1 }); }
}
`,
};

const BEFORE = `
import { provide } from "@gatehouse/http";
import { addHandler, addPing, bySchema, dated, plain, schema, stated } from "./handlers.ts";
import { SameController as OtherController } from "./same.ts";
interface Pet { name: string; age?: number }
interface Page<T> { items: T[]; next: string | null }
interface Path { id: string }
interface Find { /** Words. */ q?: string; tags: string[]; kind: "a" | "b" }
const tenant = provide(() => ({ tenant: { name: "a", since: new Date(0) } }));
const chance = (): boolean => Math.random() > 2;

class Base<T> {
  @Get("/all") list(): TypedResponse<Page<T>> { return json({ items: [], next: null }); }
  @Get("/inferred") inferred() { return json({ one: 1 }); }
}
@Controller("/pets")
class PetController extends Base<Pet> {
  @Post() create(req: TypedRequest<RequestSpec<Json<Pet>>>): TypedResponse<Pet> {
    return json(req.content);
  }
  @Put("/:id") put(req: TypedRequest<RequestSpec<PathParams<Path>>>) {
    return json({ id: req.params.id, deep: { a: [1] } });
  }
  @Get("/later") async later(): Promise<TypedResponse<Pet>> {
    return await Promise.resolve(json({ name: "" }));
  }
  @Get("/unsaid") unsaid(): Response { return new Response(""); }
}
@Controller("/more")
class MorePetController extends PetController {
  override unsaid(): TypedResponse<1> { return json(1); }
  @Patch() own() { return json({ own: true }); }
}
@Controller("/same")
class SameController { @Get() list(): TypedResponse<{ main: 1 }> { return json({ main: 1 }); } }
function controllerAt(path: string) {
  @Controller(path)
  class Made { @Get("/made") made() { return json({ made: path }); } }
  return Made;
}
const router: TypedRouter = routerBuilder({ container: createContainer() }).controllers(
  PetController, MorePetController, SameController, OtherController, controllerAt("/m1"),
    controllerAt("/m2"),
).build();
const user = { guard: () => ({ sub: "ada" }), strategies: [{ name: "bearer",
  scheme: { type: "bearer" } }] } as const;
const guarded = routerBuilder({ container: createContainer() }).withAuth(user).build();
const inner = createRouter();
class Service { n = 1; handle = () => json({ service: this.n }); method() { return json({ m: 1 });
  } }
const service = new Service();
`;

/** What tests add routes to. */
export const APPLICATION: TypedApplication = { before: BEFORE, files: FILES };
