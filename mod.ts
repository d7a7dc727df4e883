/**
 * Gatehouse: a typed HTTP router on Hono's engine, with the rest of what stands between a socket and a handler.
 *
 * This entry is portable: it runs on Deno, Deno Deploy, Bun, Node, workerd and in WASI components.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/hello/:name", (req) => json({ hello: req.params.name }));
 *
 * const response = await router.request("/hello/Ada");
 * assertEquals(await response.json(), { hello: "Ada" });
 * ```
 *
 * @module
 */

// The router: routes, middleware, errors
export { createRouter, HttpRouter, routerBuilder } from "./openapi/routers.ts";
export type {
  BuilderExtension,
  BuilderOptions,
  BuilderStage,
  BuiltRouter,
  RouterBuilder,
} from "./router/builder.ts";
export {
  All,
  Controller,
  Delete,
  Endpoint,
  Get,
  Head,
  Options,
  Patch,
  Post,
  Put,
} from "./router/decorators.ts";
export type { ControllerOptions } from "./router/decorators.ts";
export type {
  AnyMethod,
  BodyRouteDecorator,
  ContentMismatch,
  ControllerDecorator,
  EndpointDecorator,
  Mismatch,
  OutputMismatch,
  ParamsMismatch,
  PartMismatch,
  PathMismatch,
  PrincipalMismatch,
  Provided,
  ProvidedContent,
  RequestMismatch,
  ResultMismatch,
  RouteDecorator,
  RouteMethodDecorator,
  Unspecified,
} from "./router/decorator_types.ts";
export { defaultRegistry } from "./router/registry.ts";
export type { EndpointMethod, EndpointRegistry, EndpointTarget } from "./router/registry.ts";
export { HTTP_ROUTER } from "./router/http_router.ts";
export type { HttpRouterOptions } from "./router/http_router.ts";
export { createContainer, defaultContainer, inject, token } from "./router/container.ts";
export type { Class, Container, Provider, Token, TypedToken } from "./router/container.ts";
export { editHeaders, empty, json, pass, redirect } from "./router/response.ts";
export type { Pass, RedirectStatus, TypedResponse } from "./router/response.ts";
export { wrap } from "./router/wrap.ts";
export type { Wrapper } from "./router/wrap.ts";
export { HttpError, problem } from "./router/problem.ts";
export type {
  HttpErrorOptions,
  ProblemDetails,
  ProblemError,
  ProblemOptions,
  Violation,
} from "./router/problem.ts";
export type {
  AddRoute,
  AuthIntegration,
  AuthOption,
  AuthorizationOption,
  BodyMethodOf,
  CredentialScheme,
  ErrorHandler,
  FetchHandler,
  GuardedRequest,
  Handler,
  HandlerResult,
  MethodOf,
  Middleware,
  MiddlewareResult,
  MountOptions,
  Next,
  RequestOf,
  ResponseHook,
  RouteAccess,
  RouteGuard,
  RouteGuardInfo,
  RouteInfo,
  RouteOptions,
  RouteOrigin,
  RouteRequest,
  RouterOptions,
  RouteSource,
  RouteTarget,
  SchemeStrategy,
  TypedRequest,
  TypedRouter,
} from "./router/types.ts";
export type {
  AnyParams,
  AnyRequestSpec,
  FormDataOf,
  Json,
  Multipart,
  OptionalParams,
  OutputOf,
  ParamLabel,
  ParamLabels,
  ParamName,
  ParamsOf,
  PathParams,
  PathParamsOf,
  Query,
  QueryOf,
  QueryParams,
  RequestMarker,
  RequestSpec,
  ResponseSpec,
  SpecOf,
  Unstated,
} from "./router/markers.ts";
export type {
  BodyMode,
  BodyRouteMethod,
  ContentOptions,
  DefaultContent,
  GuardedBodyRouteMethod,
  GuardedRouteMethod,
  OptionsArgument,
  PlainOptions,
  RouteMethod,
  Stated,
  StatedArgument,
  StatedOptions,
  SubjectFor,
} from "./router/route_method.ts";
export type {
  InferOutput,
  RouteSchema,
  StandardIssue,
  StandardResult,
  StandardSchemaProps,
  StandardSchemaV1,
} from "./router/schema.ts";

// OpenAPI: the document that follows from the routes
export { generateOpenAPI } from "./openapi/generator.ts";
export { publicEndpoint, secured, securitySchemesFor } from "./openapi/security.ts";
export type {
  ComponentsObject,
  EndpointMetadata,
  ExternalDocumentation,
  MediaTypeObject,
  OpenApiDocument,
  OpenApiInfo,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
  SecurityRequirement,
  SecurityScheme,
  ServerObject,
  TagObject,
} from "./router/openapi_types.ts";

// Static assets: packaged files, and conditional requests
export { mountStatic } from "./router/static_mount.ts";
export { registerStaticAssets } from "./static/registry.ts";
export { verifyStaticAssets } from "./static/packaged.ts";
export { checkPreconditions } from "./static/conditional.ts";
export type { ConditionalRequest } from "./static/conditional.ts";
export { contentTypeOf } from "./static/content_type.ts";
export type {
  PackagedAsset,
  StaticAssetManifest,
  StaticAssetMetadata,
  StaticAssetOptions,
  StaticAssetPackage,
  StaticMount,
} from "./static/types.ts";

// Authentication: all of it; auth/mod.ts is the list
export * from "./auth/mod.ts";
