/**
 * The entry of the WebSocket server on workerd.
 *
 * @module
 */

import { createSocketRouter } from "./socket_app.ts";

/** Serves. */
const worker: ReturnType<typeof createSocketRouter> = createSocketRouter();

export default worker;
