/**
 * Strategies and managers with given results, which record their calls.
 *
 * @module
 */

import {
  authenticated,
  authFailed,
  type AuthorizationManager,
  type AuthStrategy,
  createPrincipal,
  noCredential,
  type Principal,
  type StrategyContext,
} from "@gatehouse/http";

export const ROBOT: Principal = createPrincipal({ sub: "robot", method: "key" });

/** A strategy, and the requests that it was called with. */
export interface CountedStrategy extends AuthStrategy {
  readonly asked: StrategyContext[];
}

export interface KeyOptions {
  readonly name?: string;
  /** The scheme of the strategy. @default the header field */
  readonly scheme?: AuthStrategy["scheme"] | "unsaid";
  readonly challenge?: string;
  readonly ambient?: boolean;
  /** The field that it reads. @default {"X-Key"} */
  readonly field?: string;
  /** Its code for a wrong key. @default {"invalid_key"} */
  readonly code?: string;
}

/** Accepts one key, `good`, of the robot. */
export function keyStrategy(options: KeyOptions = {}): CountedStrategy {
  const { name = "key", field = "X-Key", code = "invalid_key", challenge, ambient } = options;
  const { scheme = { type: "header", name: field } } = options;
  return strategyOf(({ request }) => {
    const key = request.headers.get(field);
    if (key === null) return noCredential();
    if (key === "good") return authenticated(ROBOT);
    return authFailed(code, "nobody's key");
  }, {
    name,
    ...(scheme === "unsaid" ? {} : { scheme }),
    ...(challenge === undefined ? {} : { challenge }),
    ...(ambient === undefined ? {} : { ambient }),
  });
}

/** A strategy with an untyped result. */
export function strategyOf(
  say: (context: StrategyContext) => unknown,
  rest: Partial<AuthStrategy> = {},
): CountedStrategy {
  const asked: StrategyContext[] = [];
  const strategy = {
    name: "made",
    ...rest,
    asked,
    authenticate(context: StrategyContext): unknown {
      asked.push(context);
      return say(context);
    },
  };
  return strategy as CountedStrategy;
}

/** A manager that records its calls. */
export interface CountedManager extends AuthorizationManager {
  readonly asked: Parameters<AuthorizationManager["authorize"]>[];
}

/** A manager with an untyped result. */
export function managerOf(say: (metadata: unknown) => unknown): CountedManager {
  const asked: Parameters<AuthorizationManager["authorize"]>[] = [];
  const manager = {
    asked,
    authorize(...question: Parameters<AuthorizationManager["authorize"]>): unknown {
      asked.push(question);
      return say(question[1].metadata);
    },
  };
  return manager as CountedManager;
}
