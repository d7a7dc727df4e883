/**
 * What `openapi.json` is written from, by
 *
 * ```sh
 * deno task openapi --controllers examples/notes/openapi.ts --output examples/notes/openapi.json
 * ```
 *
 * @module
 */

import {
  type BuiltRouter,
  createContainer,
  generateSecret,
  inMemoryAuthStores,
  type Principal,
} from "@gatehouse/http/native";
import { registerAccounts } from "./accounts.ts";
import { apiBuilder, type Connection } from "./api.ts";

const container = createContainer();
const { runtime } = registerAccounts({
  container,
  secret: generateSecret(),
  origin: "http://localhost:8000",
  stores: inMemoryAuthStores(),
  deliver: () => {},
  now: () => 0,
});

/** The API without a store: it is documented, and answers nothing. */
export const router: BuiltRouter<Connection, Principal> = apiBuilder({
  container,
  runtime,
}).build();
