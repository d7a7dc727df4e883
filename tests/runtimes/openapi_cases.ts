/**
 * OpenAPI documents on every runtime.
 *
 * @module
 */

import { createRouter, generateOpenAPI, json, secured } from "../../mod.ts";
import { createRouter as createPlainRouter } from "../../router/mod.ts";
import { z } from "zod";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";

const info = { title: "Notes", version: "1.0.0" };

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const treeSchema: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(treeSchema);
  },
}).meta({ id: "Tree" });

/** Every case, in the order in which they run. */
export const openApiCases: readonly RuntimeCase[] = [
  {
    name: "generateOpenAPI() documents paths, parameters, bodies and security",
    run() {
      const router = createRouter()
        .withAuth({
          guard: () => ({ sub: "ada" }),
          strategies: [{ name: "token", scheme: { type: "bearer" } }],
        })
        .get("/notes/:id{[0-9]+}", () => json(1), {
          schema: { query: z.object({ at: z.coerce.date().optional() }) },
        })
        .post("/trees", (req) => json(req.content), {
          schema: { body: treeSchema, response: treeSchema },
        });
      const { paths, components } = generateOpenAPI(info, router);
      assertSame(paths["/notes/{id}"]?.get?.parameters, [
        {
          name: "id",
          in: "path",
          required: true,
          schema: { type: "string", pattern: "^(?:[0-9]+)$" },
        },
        { name: "at", in: "query", schema: { type: "string", format: "date-time" } },
      ]);
      assertSame(paths["/trees"]?.post?.security, secured("bearer"));
      assertSame(paths["/trees"]?.post?.requestBody, {
        content: { "application/json": { schema: { $ref: "#/components/schemas/Tree" } } },
        required: true,
      });
      assertSame(Object.keys(components.schemas ?? {}), ["ProblemDetails", "Tree"]);
    },
  },
  {
    name: "generateOpenAPI() documents a wildcard of a router of the entry ./router",
    run() {
      const router = createPlainRouter().get("/files/*", () => json(1));
      assertSame(Object.keys(generateOpenAPI(info, router).paths), ["/files/{path}"]);
    },
  },
  {
    name: "generateOpenAPI() lists what it refuses",
    run() {
      const router = createPlainRouter()
        .get("/a", () => json(1), { schema: { query: z.object({ big: z.bigint() }) } })
        .get("/b", () => json(1), { openapi: { security: secured("unknown") } });
      let message = "";
      try {
        generateOpenAPI(info, router);
      } catch (error) {
        message = String(error);
      }
      assert(/GET \/a: .*bigint.*\n.*GET \/b: .*"unknown"/.test(message), message);
    },
  },
  {
    name: "generateOpenAPI() takes names that objects have of their own",
    run() {
      const names = ["__proto__", "constructor", "toString"];
      const members = Object.fromEntries(names.map((name) => [name, z.string()]));
      const described = z.object({ big: z.bigint(), ...members });
      const router = createPlainRouter()
        .get("/a/:constructor/:id", () => json(1), {
          schema: { params: z.looseObject({ id: z.string().min(2) }) },
        })
        .get("/b", () => json(1), {
          schema: { query: described },
          openapi: { parameters: [{ name: "big", in: "query", schema: { type: "string" } }] },
        })
        .get("/c", () => json("" as never), {
          schema: { response: z.string().meta({ id: "constructor" }) },
        });
      const { paths, components } = generateOpenAPI(info, router);
      assertSame(paths["/a/{constructor}/{id}"]?.get?.parameters, [
        { name: "constructor", in: "path", required: true, schema: { type: "string" } },
        { name: "id", in: "path", required: true, schema: { type: "string", minLength: 2 } },
      ]);
      const query = paths["/b"]?.get?.parameters ?? [];
      assertSame(
        query.map((one) => "name" in one ? one.name : one).sort(),
        ["big", ...names].sort(),
      );
      assertSame(Object.keys(components.schemas ?? {}), ["ProblemDetails", "constructor"]);
    },
  },
];
