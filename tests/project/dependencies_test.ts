import { assertEquals } from "@std/assert";
import { readConfig, runDeno } from "../../dev/_project.ts";

/** The part of `deno info --json` that counts here. */
interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly { readonly specifier: string }[];
  }[];
}

/** The packages that an entry brings into an installation, types included; the others bring none. */
const DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  ".": ["hono"],
  "./auth": ["hono"],
  "./cli": ["@std/cli", "@std/crypto", "@std/jsonc", "@std/path", "hono"],
  "./edge": ["hono"],
  "./hono": ["hono"],
  "./native": ["@std/crypto", "@std/path", "hono"],
  "./node": [],
  "./openapi": ["hono"],
  "./router": ["hono"],
};

for (const [entry, module] of Object.entries(readConfig().exports)) {
  Deno.test(`Entry ${entry} brings ${DEPENDENCIES[entry]?.join(", ") || "no package"} into an installation`, async () => {
    const { stdout } = await runDeno(["info", "--json", module]);
    const specifiers = (JSON.parse(stdout) as Info).modules
      .filter(({ specifier }) => /^file:(?!.*\/(?:node_modules|dev\/std)\/)/.test(specifier))
      .flatMap(({ dependencies = [] }) => dependencies.map(({ specifier }) => specifier))
      .filter((specifier) => !/^(?:\.|node:|file:)/.test(specifier));
    const names = specifiers.map((one) => /^(?:@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? one);
    assertEquals([...new Set(names)].sort(), [...DEPENDENCIES[entry] ?? []]);
  });
}
