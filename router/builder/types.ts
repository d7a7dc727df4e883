/**
 * Types of the router builder, and of the router that it builds.
 *
 * @module
 */

import type { StaticAssetOptions } from "../../static/types.ts";
import type { Class, Container } from "./container.ts";
import type { PrefixParamsOf } from "../markers.ts";
import type { LocalsProvider } from "../provide.ts";
import type {
  AccessRules,
  AuthIntegration,
  ErrorHandler,
  Middleware,
  NoLocals,
  ProviderRequest,
  RegisteredRules,
  ResponseHook,
  RouterOptions,
  TypedRouter,
} from "../types.ts";

export type {
  PackagedAsset,
  StaticAssetManifest,
  StaticAssetMetadata,
  StaticAssetOptions,
  StaticAssetPackage,
} from "../../static/types.ts";

/** When an extension runs: before authentication, directly after it, or after everything else. */
export type BuilderStage = "static" | "extension" | "controllers";

/** Adds routes, mounts or middleware to a router during `build()`. */
export type BuilderExtension<
  Args extends unknown[] = [],
  Subject = unknown,
  Rules extends AccessRules = RegisteredRules,
  Locals = NoLocals,
  Prefix = unknown,
> = (router: TypedRouter<Args, Subject, Rules, Locals, Prefix>) => void;

/** Options of {@linkcode routerBuilder}: the router's options without a method on the builder. */
export interface BuilderOptions<Args extends unknown[] = []>
  extends Omit<RouterOptions<Args>, "prefix" | "before" | "catch" | "finally"> {
  /** Container that creates the controllers, instead of the one that each was defined with. */
  container?: Container;
}

/** A built router, which also takes static mounts. */
export interface BuiltRouter<
  in out Args extends unknown[] = [],
  in out Subject = unknown,
  in Rules extends AccessRules = RegisteredRules,
  out Locals = NoLocals,
  out Prefix = unknown,
> extends TypedRouter<Args, Subject, Rules, Locals, Prefix> {
  /** Guards every route and mount that is added afterwards. */
  withAuth<S extends object, R extends AccessRules = AccessRules>(
    integration: AuthIntegration<S, Args, R>,
  ): BuiltRouter<Args, S, R, Locals, Prefix>;
  /** A view of this router whose routes, mounts and static assets run the middleware first. */
  provide<Provided>(
    provider: LocalsProvider<Args, Provided, ProviderRequest<Subject, Locals>>,
  ): BuiltRouter<Args, Subject, Rules, Locals & Provided, Prefix>;
  /**
   * Serves static assets under a path. The router's guard covers them, unlike static mounts of the builder.
   *
   * @throws {TypeError} If the path or an option is invalid, or the router has begun to answer.
   */
  static(prefix: string, options: StaticAssetOptions): this;
}

/** Records how to build a router. Every method except `build` returns the builder. */
export interface RouterBuilder<
  in out Args extends unknown[] = [],
  in out Subject = unknown,
  in Rules extends AccessRules = RegisteredRules,
  out Locals = NoLocals,
  out Prefix = unknown,
> {
  /** Sets the prefix of every path. @throws {TypeError} If it was set before. */
  prefix<P extends string>(
    pathPrefix: P,
  ): RouterBuilder<Args, Subject, Rules, Locals, PrefixParamsOf<P>>;
  /** Adds middleware for every request, static assets included, before it is matched. */
  use(
    ...middleware: readonly Middleware<Args>[]
  ): this;
  /** Sets the handler for thrown values. @throws {TypeError} If it was set before. */
  catch(handler: ErrorHandler<Args>): this;
  /** Adds hooks that are called with every response, last. */
  finally(
    ...hooks: readonly ResponseHook<Args>[]
  ): this;
  /**
   * Serves static assets under a path, after the middleware and before everything that is guarded. A missing file is a
   * 404, unless `fallthrough` leaves the request to later routes. Guard assets with middleware, or with `fallthrough` and
   * a guarded route.
   *
   * @throws {TypeError} In `build()`, if the path or an option is invalid.
   */
  static(
    prefix: string,
    options: StaticAssetOptions,
  ): this;
  /** Guards every route of later stages and of the built router. @throws {TypeError} If a guard was set before. */
  withAuth<S extends object, R extends AccessRules = AccessRules>(
    integration: AuthIntegration<S, Args, R>,
  ): RouterBuilder<Args, S, R, Locals, Prefix>;
  /**
   * Runs middleware for every route of later stages and of the built router, behind the guard. `req.locals` is typed by what
   * it provides.
   */
  provide<Provided>(
    provider: LocalsProvider<Args, Provided, ProviderRequest<Subject, Locals>>,
  ): RouterBuilder<Args, Subject, Rules, Locals & Provided, Prefix>;
  /** Applies an extension after authentication, so that its routes are guarded. */
  extend(
    extension: BuilderExtension<Args, Subject, Rules, Locals, Prefix>,
  ): this;
  /** Applies an extension at a stage. Routes of the stage `static` are not guarded. */
  extend(
    extension: BuilderExtension<Args>,
    stage: BuilderStage,
  ): this;
  /**
   * Adds the routes of classes with `@Controller`, after all other recorded routes.
   *
   * @throws {TypeError} If a class was added before; in `build()`, if one is not a controller, or a decorated method does
   * not belong to one.
   */
  controllers(
    ...classes: readonly Class<object>[]
  ): this;
  /** Builds the router. @throws {TypeError} If it was built before, or a recorded value is invalid. */
  build(): BuiltRouter<Args, Subject, Rules, Locals, Prefix>;
}
