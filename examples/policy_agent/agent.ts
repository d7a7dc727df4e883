/**
 * A stand-in for a policy agent, so that the example runs without installation. It implements the part of the Open Policy
 * Agent's data API that {@linkcode policyAgentManager} uses, and its only policy would be, in Rego:
 *
 * ```rego
 * package notes
 *
 * import rego.v1
 *
 * allow if input.metadata.action == "read"
 *
 * allow if input.subject.sub == "ada"
 * ```
 *
 * @module
 */
// deno-lint-ignore-file no-console

/** The part of a question that the policy looks at. */
interface Input {
  readonly subject: { readonly sub: string } | null;
  readonly metadata: { readonly action: string };
}

/** Path of the rule. */
const RULE = "/v1/data/notes/allow";

/** Starts the agent on a free port of this machine. @returns The URL of its rule. */
export function serveStandInAgent(): string {
  const { addr } = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  return `http://127.0.0.1:${addr.port}${RULE}`;
}

async function answer(request: Request): Promise<Response> {
  if (request.method !== "POST" || new URL(request.url).pathname !== RULE) return Response.json({});
  const { input } = await request.json() as { input: Input };
  console.log(`agent: asked ${JSON.stringify(input)}`);
  return Response.json(allow(input) ? { result: true } : {}); // a rule that is undefined has no result
}

function allow({ subject, metadata }: Input): boolean {
  return metadata.action === "read" || subject?.sub === "ada";
}
