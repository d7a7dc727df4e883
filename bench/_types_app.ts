/**
 * One application of N typed routes in three forms, for `types_openapi.ts`: router calls with
 * markers, decorated controllers, and tsoa's controllers. The modules of types are the same files
 * in all three.
 *
 * A module has four resources of five routes each. A resource has its own state, its interface,
 * what creates one and what changes one.
 *
 * @module
 */

import { COMMON, type Kind, KINDS } from "./_types_texts.ts";

/** How an application is written. */
export type Form = "router" | "controllers" | "tsoa";

/** Routes of one module. */
export const MODULE_ROUTES = 20;

/** Where each form writes its document. */
export const DOCUMENT = "openapi.json";

/** What each form writes of one resource. `#` stands for the number of its module. */
const RESOURCES: Readonly<Record<Form, (kind: Kind) => string>> = {
  router: ({ name, path }) => `
  router.get<
    RequestSpec<QueryParams<{ q?: string; state?: ${name}State#; cursor?: string }>>,
    ResponseSpec<Page<${name}#>>
  >("/${path}#", (req) => json(load(req.query)));
  router.post<RequestSpec<Json<New${name}#>>, ResponseSpec<${name}#>>(
    "/${path}#",
    (req) => json(load(req.content)),
  );
  router.get<RequestSpec<PathParams<{ id: string }>>, ResponseSpec<${name}#>>(
    "/${path}#/:id",
    (req) => json(load(req.params.id)),
  );
  router.patch<
    RequestSpec<Json<${name}Changes#>, PathParams<{ id: string }>>,
    ResponseSpec<${name}#>
  >("/${path}#/:id", (req) => json(load(req.params.id, req.content)));
  router.put<
    RequestSpec<
      Json<{ state: ${name}State#; reason?: string }>,
      PathParams<{ id: string }>,
      QueryParams<{ at?: string }>
    >,
    ResponseSpec<${name}#>
  >("/${path}#/:id/state", (req) => json(load(req.params.id, req.content, req.query.at)));
`,
  controllers: ({ name, path }) => `
@Controller("/${path}#")
export class ${name}s#Controller {
  @Get("/")
  list${name}s#(
    req: TypedRequest<
      RequestSpec<QueryParams<{ q?: string; state?: ${name}State#; cursor?: string }>>
    >,
  ): TypedResponse<Page<${name}#>> {
    return json(load(req.query));
  }
  @Post("/")
  create${name}#(req: TypedRequest<RequestSpec<Json<New${name}#>>>): TypedResponse<${name}#> {
    return json(load(req.content));
  }
  @Get("/:id")
  find${name}#(
    req: TypedRequest<RequestSpec<PathParams<{ id: string }>>>,
  ): TypedResponse<${name}#> {
    return json(load(req.params.id));
  }
  @Patch("/:id")
  change${name}#(
    req: TypedRequest<RequestSpec<Json<${name}Changes#>, PathParams<{ id: string }>>>,
  ): TypedResponse<${name}#> {
    return json(load(req.params.id, req.content));
  }
  @Put("/:id/state")
  move${name}#(
    req: TypedRequest<
      RequestSpec<
        Json<{ state: ${name}State#; reason?: string }>,
        PathParams<{ id: string }>,
        QueryParams<{ at?: string }>
      >
    >,
  ): TypedResponse<${name}#> {
    return json(load(req.params.id, req.content, req.query.at));
  }
}
`,
  tsoa: ({ name, path }) => `
@Route("${path}#")
export class ${name}s#Controller extends Controller {
  @Get()
  public list${name}s#(
    @Query() q?: string,
    @Query() state?: ${name}State#,
    @Query() cursor?: string,
  ): Promise<Page<${name}#>> {
    return load(q, state, cursor);
  }
  @Post()
  public create${name}#(@Body() body: New${name}#): Promise<${name}#> {
    return load(body);
  }
  @Get("{id}")
  public find${name}#(@Path() id: string): Promise<${name}#> {
    return load(id);
  }
  @Patch("{id}")
  public change${name}#(@Path() id: string, @Body() body: ${name}Changes#): Promise<${name}#> {
    return load(id, body);
  }
  @Put("{id}/state")
  public move${name}#(
    @Path() id: string,
    @Body() body: { state: ${name}State#; reason?: string },
    @Query() at?: string,
  ): Promise<${name}#> {
    return load(id, body, at);
  }
}
`,
};

const ROUTER_IMPORTS = `import {
  type Json, json, type PathParams, type QueryParams, type RequestSpec, type ResponseSpec,
  type TypedRouter,
} from "@gatehouse/http";`;
const CONTROLLER_IMPORTS = `import {
  Controller, Get, type Json, json, Patch, type PathParams, Post, Put, type QueryParams,
  type RequestSpec, type TypedRequest, type TypedResponse,
} from "@gatehouse/http";`;
const TSOA_IMPORTS = `import {
  Body, Controller, Get, Patch, Path, Post, Put, Query, Route,
} from "tsoa";`;

/**
 * The files of an application, by their paths.
 *
 * @param routes A multiple of {@linkcode MODULE_ROUTES}.
 */
export function applicationFiles(form: Form, routes: number): Readonly<Record<string, string>> {
  const modules = Array.from({ length: routes / MODULE_ROUTES }, (_, i) => i + 1);
  return {
    "common.ts": COMMON,
    ...Object.fromEntries(modules.map((n) => [`types${n}.ts`, numbered(typesModule(), n)])),
    ...Object.fromEntries(modules.map((n) => [`routes${n}.ts`, numbered(routesModule(form), n)])),
    ...entryFiles(form, modules),
  };
}

/** Names of the types that a document of so many routes has to describe, `Page<T>` apart. */
export function typeNames(routes: number): readonly string[] {
  const modules = Array.from({ length: routes / MODULE_ROUTES }, (_, i) => i + 1);
  return [
    ...["Money", "Address"],
    ...modules.flatMap((n) =>
      KINDS.flatMap(({ name }) =>
        [`${name}State#`, `${name}#`, `New${name}#`, `${name}Changes#`].map((one) =>
          numbered(one, n)
        )
      )
    ),
  ];
}

function numbered(text: string, n: number): string {
  return text.replaceAll("#", String(n));
}

function typesModule(): string {
  return [
    `import type { Address, Audit, Money } from "./common.ts";\n`,
    ...KINDS.map(({ name, state, members }) => `
/** What a ${name.toLowerCase()} can be. */
${state}

/** A ${name.toLowerCase()}, as it is kept. */
export interface ${name}# extends Audit {
  /**
   * Never changes.
   * @format uuid
   */
  id: string;
  state: ${name}State#;${members}
}

/** A ${name.toLowerCase()} that is not there yet. */
export type New${name}# = Omit<${name}#, "id" | keyof Audit>;

/** What changes of a ${name.toLowerCase()}. */
export type ${name}Changes# = Partial<New${name}#>;
`),
  ].join("");
}

function routesModule(form: Form): string {
  const names = KINDS.flatMap(({ name }) => [
    ...[`${name}#`, `${name}Changes#`, `${name}State#`, `New${name}#`],
  ]);
  const imports = [
    { router: ROUTER_IMPORTS, controllers: CONTROLLER_IMPORTS, tsoa: TSOA_IMPORTS }[form],
    `import { load, type Page } from "./common.ts";`,
    `import type { ${names.join(", ")} } from "./types#.ts";\n`,
  ].join("\n");
  const resources = KINDS.map(RESOURCES[form]).join("");
  if (form !== "router") return imports + resources;
  return `${imports}\nexport function addRoutes#(router: TypedRouter): void {${resources}}\n`;
}

function entryFiles(form: Form, modules: readonly number[]): Record<string, string> {
  const info = `{ title: "Shop", version: "1.0.0" }`;
  const lines = (line: string): string => modules.map((n) => numbered(line, n)).join("\n");
  switch (form) {
    case "router":
      return {
        "main.ts": [
          `import { createRouter, type TypedRouter } from "@gatehouse/http";`,
          lines(`import { addRoutes# } from "./routes#.ts";`),
          `export const router: TypedRouter = createRouter({ info: ${info} });`,
          lines(`addRoutes#(router);`),
        ].join("\n"),
      };
    case "controllers": {
      const classes = KINDS.map(({ name }) => `${name}s#Controller`).join(", ");
      return {
        "main.ts": [
          `import { routerBuilder, type TypedRouter } from "@gatehouse/http";`,
          lines(`import { ${classes} } from "./routes#.ts";`),
          `export const router: TypedRouter = routerBuilder({ info: ${info} }).controllers(`,
          lines(`  ${classes},`),
          `).build();`,
        ].join("\n"),
      };
    }
    case "tsoa":
      return {
        "main.ts": lines(`import "./routes#.ts";`),
        "tsoa.json": JSON.stringify({
          entryFile: "main.ts",
          controllerPathGlobs: ["routes*.ts"],
          compilerOptions: { strict: true },
          spec: {
            ...{ outputDirectory: ".", specVersion: 3, specFileBaseName: "openapi" },
            ...{ name: "Shop", version: "1.0.0" },
          },
        }),
      };
  }
}
