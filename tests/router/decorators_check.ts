/**
 * What decorated methods may and may not declare. `deno check` is the test, and this file is never run. The same source is
 * checked in both modes: `tests/legacy/decorators_check.ts` is a link to it.
 *
 * @module
 */

import {
  All,
  Delete,
  Endpoint,
  Get,
  Head,
  type Json,
  json,
  type Multipart,
  Options,
  pass,
  Patch,
  type PathParams,
  type PathParamsOf,
  Post,
  Put,
  type RequestSpec,
  type RouteRequest,
  type TypedRequest,
} from "@gatehouse/http";

interface User {
  readonly id: number;
  readonly name: string;
}

interface Env {
  readonly db: string;
}

type WithId = TypedRequest<RequestSpec<PathParams<{ id: string }>>>;
type WithUser = TypedRequest<RequestSpec<Json<User>>>;

/** Compares the declared parameters with those of the path. */
class Paths {
  @Get("/:id")
  declared(req: WithId): Response {
    return json(req.params.id);
  }
  @Get("/:id")
  undeclared(req: TypedRequest): Response {
    return json(req.params.id ?? null);
  }
  @Get("/:id/:n{[0-9]+}")
  expression(req: TypedRequest<RequestSpec<PathParams<{ id: string; n: string }>>>): Response {
    return json(req.params.n);
  }
  @Get("/of/:id")
  readOnly(req: RouteRequest<undefined, PathParamsOf<"/of/:id">>): Response {
    return json(req.params.id);
  }
  @Get("/more")
  fromTheControllersPath(req: WithId): Response {
    return json(req.params.id);
  }
  @Get()
  defaultPath(req: WithId): Response {
    return json(req.params.id);
  }
  @Get("/:id?")
  optional(req: TypedRequest<RequestSpec<PathParams<{ id?: string }>>>): Response {
    return json(req.params.id ?? "none");
  }
  @Get("/x" as string)
  unknownPath(req: WithId): Response {
    return json(req.params.id);
  }
  @Get("/files/*")
  wildcard(req: TypedRequest): Response {
    return json(req.path);
  }
  @Get("/a/:id")
  @Get("/b/:id")
  twice(req: WithId): Response {
    return json(req.params.id);
  }
  // @ts-expect-error -- the path has another parameter, which PathParams does not name
  @Get("/:name")
  missing(req: WithId): Response {
    return json(req.params.id);
  }
  // @ts-expect-error -- one of two parameters is not named
  @Get("/:id/:name")
  oneMissing(req: WithId): Response {
    return json(req.params.id);
  }
  // @ts-expect-error -- parameters are strings, and this is a number
  @Get("/:id")
  mistyped(req: TypedRequest<RequestSpec<PathParams<{ id: number }>>>): Response {
    return json(req.params.id);
  }
  // @ts-expect-error -- parameters of the controller's path are strings, too
  @Get("/more")
  mistypedAbove(req: TypedRequest<RequestSpec<PathParams<{ id: number }>>>): Response {
    return json(req.params.id);
  }
  // @ts-expect-error -- those of an unknown path are, too
  @Get("/x" as string)
  mistypedUnknown(req: TypedRequest<RequestSpec<PathParams<{ id: number }>>>): Response {
    return json(req.params.id);
  }
  // @ts-expect-error -- the parameter may be absent
  @Get("/:id?")
  notOptional(req: WithId): Response {
    return json(req.params.id);
  }
  @Get("/a/:id")
  // @ts-expect-error -- the second of two routes does not fit
  @Get("/b/:other")
  secondMissing(req: WithId): Response {
    return json(req.params.id);
  }
}

/** Takes methods by what they need, not by how they are written. */
class Methods {
  @Get()
  nothing() {
    return json(1);
  }
  @Get()
  async promised(_req: TypedRequest) {
    return await Promise.resolve(json(1));
  }
  @Get()
  plainResponse() {
    return new Response();
  }
  @Get()
  passes(req: RouteRequest) {
    return req.method === "GET" ? json(1) : pass();
  }
  @Get()
  throws(): never {
    throw new Error("never");
  }
  @Get("/:id")
  extra(req: WithId, env: Env, more: number) {
    return json([req.params.id, env.db, more]);
  }
  @Get()
  protected hidden() {
    return json(1);
  }
  @Get("/:id")
  generic<E extends Env>(req: WithId, env: E) {
    return json(req.params.id + env.db);
  }
  @Get("/:id")
  typedThis(this: Methods, req: WithId) {
    return json(req.params.id);
  }
  @Get("/", { use: [(req) => void req.headers], summary: "Answers", tags: ["a"], "x-own": 1 })
  @Endpoint({ description: "Metadata alone", deprecated: true })
  @Head()
  @Options()
  @Delete()
  @All("/all")
  many(req: RouteRequest) {
    return json(req.path);
  }
  // @ts-expect-error -- the path has another parameter, which the generic method does not name
  @Get("/:name")
  genericMissing<E extends Env>(req: WithId, env: E) {
    return json(req.params.id + env.db);
  }
  // @ts-expect-error -- nothing is returned
  @Get()
  forgotten() {}
  // @ts-expect-error -- a promise of nothing is returned
  @Get()
  async forgottenLater() {
    await Promise.resolve();
  }
  // @ts-expect-error -- one branch returns nothing
  @Get()
  forgottenBranch(req: RouteRequest): Response | undefined {
    if (req.method === "GET") return json(1);
    return undefined;
  }
  // @ts-expect-error -- data is not a response
  @Get()
  data() {
    return { id: 1 };
  }
  // @ts-expect-error -- no such option, and no such field of metadata
  @Get("/", { sumary: "Answers" })
  misspelt() {
    return json(1);
  }
  // @ts-expect-error -- no such field of metadata
  @Endpoint({ sumary: "Answers" })
  @Get()
  misspeltMetadata() {
    return json(1);
  }
  // @ts-expect-error -- called without parentheses
  @Get
  bare() {
    return json(1);
  }
  // @ts-expect-error -- called without parentheses
  @Endpoint
  bareEndpoint() {
    return json(1);
  }
  // @ts-expect-error -- a field is not a method
  @Get()
  field: number = 1;
}

/** Compares the declared content with what the route reads. */
class Contents {
  @Post()
  stated(req: WithUser) {
    return json(req.content.name);
  }
  @Put()
  unstated(req: TypedRequest) {
    return json(req.content);
  }
  @Post("/form", { multipart: true })
  form(req: TypedRequest<RequestSpec<Multipart<{ file: File }>>>) {
    return json(req.content.getAll("file").length);
  }
  @Patch("/raw", { raw: true })
  raw(req: TypedRequest) {
    return new Response(req.body);
  }
  @Patch("/raw", { raw: true })
  rawStated(req: RouteRequest<undefined>) {
    return new Response(req.body);
  }
  @Get()
  none(req: RouteRequest<undefined>) {
    return json(req.path);
  }
  // @ts-expect-error -- GET has no content
  @Get()
  getWithContent(req: WithUser) {
    return json(req.content.name);
  }
  // @ts-expect-error -- DELETE has no content here
  @Delete()
  deleteWithContent(req: WithUser) {
    return json(req.content.name);
  }
  // @ts-expect-error -- a raw body is not read
  @Post("/raw", { raw: true })
  rawWithContent(req: WithUser) {
    return json(req.content.name);
  }
  // @ts-expect-error -- a form needs multipart: true
  @Post("/form")
  formUnsaid(req: TypedRequest<RequestSpec<Multipart<{ file: File }>>>) {
    return json(req.content.getAll("file").length);
  }
  // @ts-expect-error -- a form is not a User
  @Post("/form", { multipart: true })
  formAsJson(req: WithUser) {
    return json(req.content.name);
  }
  // @ts-expect-error -- GET has no content, multipart or other
  @Get("/form", { multipart: true })
  getForm() {
    return json(1);
  }
}

/** Everything above, so that nothing is unused. */
export const checked: readonly unknown[] = [Paths, Methods, Contents];
