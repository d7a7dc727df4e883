/**
 * Strategies that tests tell what to say, and managers that they count.
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

/** A strategy, and the requests that it looked at. */
export interface CountedStrategy extends AuthStrategy {
  readonly asked: StrategyContext[];
}

export interface KeyOptions {
  readonly name?: string;
  /** Where it says that its credential is. @default the header field that it reads */
  readonly scheme?: AuthStrategy["scheme"] | "unsaid";
  readonly challenge?: string;
  readonly ambient?: boolean;
  /** The field that it reads. @default {"X-Key"} */
  readonly field?: string;
  /** What it calls a wrong key. @default {"invalid_key"} */
  readonly code?: string;
}

/** Knows one key, `good`, which is the robot's. */
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

/** A strategy that says anything, as one without types may. */
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

/** A manager, and what it was asked. */
export interface CountedManager extends AuthorizationManager {
  readonly asked: Parameters<AuthorizationManager["authorize"]>[];
}

/** A manager that says anything, as one without types may. */
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
