/**
 * Redocly's rules, in the configuration `recommended-strict`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import type { Problem } from "./problem.ts";
import { REDOCLY } from "./versions.ts";

/** The part of `@redocly/openapi-core` that is used here. */
interface Redocly {
  createConfig(config: { extends: string[] }, options: { configPath: string }): Promise<unknown>;
  Source: new (name: string, text: string) => unknown;
  BaseResolver: new () => object;
  lintDocument(options: {
    document: { source: unknown; parsed: unknown };
    config: unknown;
    externalRefResolver: object;
  }): Promise<
    readonly {
      readonly ruleId: string;
      readonly message: string;
      readonly location: readonly { readonly pointer?: string }[];
    }[]
  >;
}

/** What Redocly takes the document's address to be; nothing is there. */
const NAME = "openapi.json";
/** The same for its configuration. Redocly loads a plugin that lies beside it: none in this folder. */
const CONFIG = "redocly.yaml";

/**
 * Lints a document. Warnings are problems too.
 *
 * A configuration that is handed in keeps Redocly from looking for `redocly.yaml`, and a parsed
 * document from reading JSON as YAML.
 */
export async function findRedoclyProblems(text: string): Promise<readonly Problem[]> {
  const configPath = fromFileUrl(new URL(CONFIG, import.meta.url));
  const { createConfig, lintDocument, Source, BaseResolver }: Redocly = await import(REDOCLY);
  try {
    const found = await lintDocument({
      document: { source: new Source(NAME, text), parsed: JSON.parse(text) },
      config: await createConfig({ extends: ["recommended-strict"] }, { configPath }),
      externalRefResolver: Object.assign(new BaseResolver(), { loadExternalRef: refuse }),
    });
    return found.map(({ ruleId, message, location: [place] }) => ({
      gate: "redocly",
      rule: ruleId,
      pointer: place?.pointer ?? "#",
      message,
    }));
  } catch (error) { // It has no rule for what it cannot take for a document
    return [{ gate: "redocly", rule: "throws", pointer: "#", message: String(error) }];
  }
}

/** Redocly fetches what a reference leads to; a document here leads nowhere else. */
function refuse(): Promise<never> {
  return Promise.reject(new Error("Cannot follow a reference: it leaves the document"));
}
