/**
 * Every case of the decorators, in execution order.
 *
 * The same source runs in both modes: `tests/legacy` has links to these files, and a configuration that turns
 * `experimentalDecorators` on. Nothing here may import from Deno or Node, since the cases also run bundled, elsewhere.
 *
 * @module
 */

import type { RuntimeCase } from "../runtimes/harness.ts";
import { classCases } from "./_decorator_class_cases.ts";
import { containerCases } from "./_decorator_container_cases.ts";
import { httpRouterCases } from "./_decorator_http_router_cases.ts";
import { misuseCases } from "./_decorator_misuse_cases.ts";
import { optionCases } from "./_decorator_option_cases.ts";
import { registryCases } from "./_decorator_registry_cases.ts";
import { replacedCases } from "./_decorator_replaced_cases.ts";
import { routeCases } from "./_decorator_route_cases.ts";
import { unclaimedCases } from "./_decorator_unclaimed_cases.ts";
import { wrapCases } from "./_decorator_wrap_cases.ts";

export { observeMode } from "./_decorator_foreign.ts";
export { httpRouterCases } from "./_decorator_http_router_cases.ts";
export { registryCases } from "./_decorator_registry_cases.ts";

/** Cases of `decorators.ts`. */
export const decoratorCases: readonly RuntimeCase[] = [
  ...routeCases,
  ...optionCases,
  ...classCases,
  ...containerCases,
  ...wrapCases,
  ...replacedCases,
  ...misuseCases,
  ...unclaimedCases,
];

/** All of them, with those of the registry and of `HttpRouter()`. */
export const allDecoratorCases: readonly RuntimeCase[] = [
  ...registryCases,
  ...httpRouterCases,
  ...decoratorCases,
];
