/**
 * Which module may import what: the tables of `import_rules.ts`.
 *
 * @module
 */

/** One row of the table: the modules that match `importer` may import what matches one of `may`. */
export interface ImportRule {
  readonly importer: string;
  readonly may: readonly string[];
}

/** One row of the table: nothing that starts at `entry` leads to what matches one of `never`. */
export interface ReachRule {
  readonly entry: string;
  readonly never: readonly string[];
}

/**
 * All rows that match a module count. A module of the package that no row matches may import nothing. One row per room of
 * `auth/` says which rooms are below it; what starts with `_` stays in its folder and the folders under it.
 */
export const IMPORT_RULES: readonly ImportRule[] = [
  { importer: "mod.ts", may: ["{router,openapi,static,auth}/*.ts"] },
  { importer: "native.ts", may: ["mod.ts", "{*,router/builder}/native_*.ts"] },
  { importer: "edge.ts", may: ["{router,static}/mod.ts", "serve/edge.ts", "auth/{,*/}*.ts"] },

  { importer: "static/*.ts", may: ["static/*.ts"] },
  { importer: "static/mod.ts", may: ["router/static_{features,mount}.ts"] },
  {
    importer: "static/native_*.ts",
    may: ["@std/{crypto,path}", "node:{fs,process,util,zlib}", "node:fs/promises"],
  },

  { importer: "router/*.ts", may: ["router/*.ts"] },
  { importer: "router/mod.ts", may: ["router/{builder,live}/*.ts"] },
  { importer: "router/builder/*.ts", may: ["router/{,builder/}*.ts"] },
  { importer: "router/live/*.ts", may: ["router/{,live/}*.ts"] },
  {
    importer:
      "router/{internals,static_features,static_mount,builder/{builder,http_router,native_static,types}}.ts",
    may: ["static/*.ts"],
  },
  { importer: "router/{_engine,hono}.ts", may: ["hono", "hono/**"] },

  { importer: "serve/*.ts", may: ["serve/*.ts", "router/*.ts"] },
  {
    importer: "serve/native_node_websocket.ts",
    may: ["router/live/{standard_socket,types,upgrade}.ts"],
  },
  {
    importer: "serve/native_node*.ts",
    may: ["node:{buffer,http,https,net,process,stream,timers,tls}"],
  },

  { importer: "openapi/*.ts", may: ["openapi/*.ts", "router/{,builder/}*.ts"] },
  { importer: "openapi/docs_page.ts", may: ["static/{conditional,options}.ts"] },
  {
    importer: "openapi/validators/*.ts",
    may: ["openapi/{,validators/}*.ts", "router/{openapi_types,path,schema,types}.ts"],
  },
  {
    importer: "openapi/compiler/*.ts",
    may: [
      "openapi/{,compiler/,validators/}*.ts",
      "router/{,builder/}*.ts",
      "static/native_write.ts",
      "@std/{jsonc,path}",
      "node:{child_process,fs,module,process}",
      "node:fs/promises",
    ],
  },
  { importer: "openapi/client/*.ts", may: ["openapi/{,client/}*.ts", "router/*.ts"] },
  {
    importer: "openapi/cli/*.ts",
    may: [
      "openapi/cli/*.ts",
      "openapi/{client,compiler}/*.ts",
      "router/openapi_types.ts",
      "static/native_package.ts",
      "@std/{cli,path}",
      "node:{fs,process}",
    ],
  },

  { importer: "auth/*.ts", may: ["auth/*.ts"] },
  { importer: "auth/mod.ts", may: ["auth/*/*.ts"] },
  { importer: "auth/{_origin,session/{csrf,origin_check}}.ts", may: ["router/request_origin.ts"] },
  { importer: "auth/throttle/*.ts", may: ["auth/{,throttle/}*.ts"] },
  { importer: "auth/stores/*.ts", may: ["auth/{,throttle/,stores/}*.ts"] },
  { importer: "auth/stores/engines/*.ts", may: ["auth/{,stores/,stores/engines/}*.ts"] },
  { importer: "auth/users/*.ts", may: ["auth/{,stores/,users/}*.ts"] },
  { importer: "auth/factors/*.ts", may: ["auth/{,throttle/,stores/,factors/}*.ts"] },
  {
    importer: "auth/accounts/*.ts",
    may: ["auth/{,throttle/,stores/,users/,password/,accounts/}*.ts"],
  },
  { importer: "auth/jwt/*.ts", may: ["auth/{,jwt/}*.ts"] },
  { importer: "auth/keys/*.ts", may: ["auth/{,stores/,jwt/,keys/}*.ts"] },
  { importer: "auth/dpop/*.ts", may: ["auth/{,stores/,jwt/,dpop/}*.ts"] },
  { importer: "auth/session/*.ts", may: ["auth/{,stores/,users/,session/}*.ts"] },
  { importer: "auth/password/*.ts", may: ["auth/{,throttle/,stores/,users/,password/}*.ts"] },
  {
    importer: "auth/tokens/*.ts",
    may: ["auth/{,stores/,users/,jwt/,keys/,session/,dpop/,tokens/}*.ts"],
  },
  { importer: "auth/tokens/dpop_strategy.ts", may: ["router/original_request.ts"] },
  {
    importer: "auth/webauthn/*.ts",
    may: ["auth/{,throttle/,stores/,users/,jwt/,webauthn/}*.ts"],
  },
  {
    importer: "auth/oauth/*.ts",
    may: ["auth/{,stores/,users/,jwt/,session/,oauth/}*.ts"],
  },
  { importer: "auth/oauth/mod.ts", may: ["auth/oauth/presets/*.ts"] },
  {
    importer: "auth/oauth/presets/*.ts",
    may: ["auth/{,jwt/,oauth/,oauth/presets/}*.ts"],
  },
  {
    importer: "auth/http/*.ts",
    may: [
      "auth/{,throttle/,stores/,users/,jwt/,keys/,session/,password/,dpop/,tokens/,factors/,accounts/,webauthn/,oauth/,http/}*.ts",
      "router/{access,guard,openapi_types,original_request,path,problem,request,response,types,wrap}.ts",
      "router/builder/{container,decorator_types,decorators}.ts",
    ],
  },
  { importer: "auth/http/*.ts", may: ["auth/http/documents/*.ts"] },
  {
    importer: "auth/http/documents/*.ts",
    may: ["auth/http/documents/*.ts", "router/openapi_types.ts"],
  },
  {
    importer: "auth/graphql/*.ts",
    may: ["auth/{,http/,graphql/}*.ts", "router/{access,builder/container}.ts"],
  },
  {
    importer: "auth/testing/*.ts",
    may: ["auth/{,stores/,users/,testing/}*.ts", "auth/http/{runtime,types}.ts"],
  },
  {
    importer: "auth/server/*.ts",
    may: [
      "auth/{,throttle/,stores/,jwt/,keys/,session/,dpop/,tokens/,http/,server/,server/*/}*.ts",
      "router/{original_request,types}.ts",
    ],
  },
  { importer: "auth/server/clients/*.ts", may: ["auth/{,stores/,jwt/,server/clients/}*.ts"] },
  {
    importer: "auth/server/core/*.ts",
    may: [
      "auth/{,throttle/,stores/,jwt/,keys/,session/,dpop/,tokens/,server/clients/,server/core/}*.ts",
    ],
  },
  {
    importer: "auth/server/authorize/*.ts",
    may: ["auth/{,stores/,server/clients/,server/core/,server/authorize/}*.ts"],
  },
  {
    importer: "auth/server/logout/*.ts",
    may: ["auth/{,stores/,server/clients/,server/core/,server/logout/}*.ts"],
  },
  {
    importer: "auth/server/device/*.ts",
    may: ["auth/{,stores/,server/clients/,server/core/,server/device/}*.ts"],
  },
  {
    importer: "auth/server/token/*.ts",
    may: ["auth/{,jwt/,stores/,server/clients/,server/core/,server/token/}*.ts"],
  },
];

/** Which entries must not lead to what. */
export const REACH_RULES: readonly ReachRule[] = [
  {
    entry: "mod.ts",
    never: [
      "router/hono.ts",
      "openapi/docs_page.ts",
      "auth/testing/*.ts",
      "**/native_*.ts",
      "native.ts",
      "auth/stores/engines/*.ts",
      "node:*",
    ],
  },
];
