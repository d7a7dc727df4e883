/**
 * The typed router: routes whose request and response types come from path, schema or markers; middleware; errors as
 * problem details; any Standard Schema library for validation.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http/router";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({ prefix: "/api" })
 *   .get("/users/:id", (req) => json({ id: req.params.id }));
 *
 * assertEquals(await (await router.request("/api/users/7")).json(), { id: "7" });
 * assertEquals((await router.request("/api/users/7", { method: "PUT" })).status, 405);
 * ```
 *
 * @module
 */

export { createRouter } from "./router.ts";
export { routerBuilder } from "./builder/builder.ts";
export type {
  BuilderExtension,
  BuilderOptions,
  BuilderStage,
  BuiltRouter,
  PackagedAsset,
  RouterBuilder,
  StaticAssetManifest,
  StaticAssetMetadata,
  StaticAssetOptions,
  StaticAssetPackage,
} from "./builder/builder.ts";
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
} from "./builder/decorators.ts";
export type { ControllerOptions } from "./builder/decorators.ts";
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
} from "./builder/decorator_types.ts";
export { defaultRegistry } from "./builder/registry.ts";
export type { EndpointMethod, EndpointRegistry, EndpointTarget } from "./builder/registry.ts";
export { HTTP_ROUTER, HttpRouter } from "./builder/http_router.ts";
export type { HttpRouterOptions } from "./builder/http_router.ts";
export { createContainer, defaultContainer, inject, token } from "./builder/container.ts";
export type { Class, Container, Provider, Token, TypedToken } from "./builder/container.ts";
export { editHeaders, empty, json, pass, redirect } from "./response.ts";
export type { Pass, RedirectStatus, TypedResponse } from "./response.ts";
export { provide } from "./provide.ts";
export type { LocalsProvider } from "./provide.ts";
export { sse } from "./live/sse.ts";
export type {
  EventStream,
  EventStreamContext,
  EventStreamOptions,
  ServerSentEvent,
} from "./live/sse.ts";
export { websocket } from "./live/websocket.ts";
export { bunWebSocket } from "./live/bun.ts";
export type { BunSocket, BunWebSocketHandler } from "./live/bun.ts";
export type {
  LiveSocket,
  WebSocketHandlers,
  WebSocketMessage,
  WebSocketOptions,
  WebSocketResponse,
} from "./live/types.ts";
export { wrap } from "./wrap.ts";
export type { Wrapper } from "./wrap.ts";
export { logDenials } from "./_report.ts";
export { HttpError, problem } from "./problem.ts";
export type {
  HttpErrorOptions,
  ProblemDetails,
  ProblemError,
  ProblemOptions,
  Violation,
} from "./problem.ts";
export type {
  AccessOptions,
  AccessRules,
  AddRoute,
  AuthIntegration,
  AuthOption,
  AuthorizationOption,
  BodyMethodOf,
  CommonOptions,
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
  NoLocals,
  OptionalAuth,
  ProviderRequest,
  Register,
  RegisteredRules,
  RequestEvent,
  RequestOf,
  RequiredAuth,
  ResponseHook,
  RouteAccess,
  RouteGuard,
  RouteGuardInfo,
  RouteInfo,
  RouteOptions,
  RouteOrigin,
  RouteRequest,
  RouterOptions,
  Routes,
  RouteSource,
  RouteTarget,
  SchemeStrategy,
  ScopeOption,
  StepUpOptions,
  TypedRequest,
  TypedRouter,
} from "./types.ts";
export type {
  AnyParams,
  AnyRequestSpec,
  FormDataOf,
  Json,
  Multipart,
  OptionalParams,
  OutputOf,
  ParamName,
  ParamNames,
  ParamsOf,
  PathParams,
  PathParamsOf,
  Query,
  QueryOf,
  QueryParams,
  RequestMarker,
  RequestSpec,
  ResponseSpec,
  SegmentParam,
  SpecOf,
  Unspecified,
} from "./markers.ts";
export type {
  BodyMode,
  BodyRouteMethod,
  ContentMode,
  DefaultContent,
  NoSuchOption,
  OnlyNames,
  RouteMethod,
} from "./route_method.ts";
export type {
  GuardedBodyRouteMethod,
  GuardedRouteMethod,
  StatedBodyArgument,
  StatedBodyOptions,
  StatedOptions,
  SubjectFor,
} from "./guarded_route_method.ts";
export type {
  InferOutput,
  RouteSchema,
  RouteValidators,
  StandardIssue,
  StandardResult,
  StandardSchemaProps,
  StandardSchemaV1,
} from "./schema.ts";
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
} from "./openapi_types.ts";
