import { assertEquals } from "@std/assert";
import { readConfig, runDeno } from "../../dev/_project.ts";

/** The part of `deno doc --json` that counts here. */
interface Doc {
  readonly nodes: Readonly<Record<string, ModuleDoc>>;
}

interface ModuleDoc {
  readonly module_doc?: { readonly doc?: string };
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly { readonly jsDoc?: { readonly doc?: string } }[];
  }[];
}

for (const [entry, module] of Object.entries(readConfig().exports)) {
  Deno.test(`Entry ${entry} says of itself and of each symbol what it is for`, async () => {
    const { stdout } = await runDeno(["doc", "--json", module]);
    const modules = Object.values((JSON.parse(stdout) as Doc).nodes);
    assertEquals(modules.map((one) => (one.module_doc?.doc ?? "") === ""), [false]);
    const silent = modules.flatMap(({ symbols }) => symbols)
      .filter(({ declarations }) => !declarations.some(({ jsDoc }) => jsDoc?.doc));
    assertEquals(silent.map(({ name }) => name), []);
  });
}
