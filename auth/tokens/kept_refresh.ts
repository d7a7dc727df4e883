/**
 * Refresh tokens that stay the same, for clients that authenticate and whose tokens are bound to a key: rotation protects nothing
 * there, and a lost answer would end the grant. FAPI 2.0 Security Profile §5.3.2.1, note 1.
 *
 * @module
 */

import { createRefreshService } from "./refresh_service.ts";
import type { RefreshService, RefreshServiceOptions } from "./refresh_types.ts";

/** A refresh service that returns the presented token. Each use extends its lifetime, as a rotation does. */
export function keptRefreshService(options: RefreshServiceOptions): RefreshService {
  return createRefreshService(options, (secret) => ({ next: secret }));
}
