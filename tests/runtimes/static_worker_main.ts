/**
 * The entry of the static server on workerd: packages alone, since it has no files.
 *
 * @module
 */

import { routerBuilder } from "../../mod.ts";
import { addPackages, bareMount, type Fetch } from "./static_routes.ts";

let answering: Promise<Fetch> | undefined;

/** Not when the module is loaded: workerd forbids to hash there. */
async function makeFetch(): Promise<Fetch> {
  const router = (await addPackages(routerBuilder({ onError: () => {} }))).build()
    .get("/through/*", () => new Response("later"));
  const bare = await bareMount("/bare");
  return (request) => request.url.includes("/bare/") ? bare(request) : router.fetch(request);
}

/** Serves. */
const worker: { fetch: Fetch } = {
  fetch: async (request) => (await (answering ??= makeFetch()))(request),
};

export default worker;
