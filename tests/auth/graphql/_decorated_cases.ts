/**
 * What a schema requires that decorated classes declare, in either mode of decorators.
 *
 * @module
 */

import { protectSchema, type ProtectSchemaOptions } from "@gatehouse/http/auth/graphql";
import { assertEquals } from "@std/assert";
import { codesOf, createUsers, QUIET, run, VERSIONS } from "./_schemas.ts";

type Class = NonNullable<ProtectSchemaOptions["types"]>[string];

const SDL = `
  interface Entity { id: ID }
  type User implements Entity {
    id: ID name: String email: String phone: String address: String city: String
  }
  type Query { user: User me: User news: String }
  type Mutation { login: String logout: String }
`;
const USER = { id: "1", name: "n", email: "e", phone: "p", address: "a", city: "c" };
const ROOT = { user: USER, me: USER, news: "news", login: "in", logout: "out" };

/** The paths that an anonymous request is refused. */
export async function refusedPaths(
  types: Readonly<Record<string, Class>> | undefined,
): Promise<readonly string[]> {
  const answers: string[][] = [];
  for (const version of VERSIONS) {
    const schema = version.module.buildSchema(SDL);
    protectSchema(schema, { ...(types === undefined ? {} : { types }), ...QUIET });
    const contextValue = await createUsers().as();
    const fields = "id name email phone address city";
    const query = `{ user { ${fields} } me { name } news }`;
    const refused = [query, "mutation { login logout }"].map(async (source) =>
      Object.keys(codesOf(await run(version, schema, { source, rootValue: ROOT, contextValue })))
    );
    answers.push((await Promise.all(refused)).flat());
  }
  assertEquals(answers[0], answers[1]);
  return answers[0] ?? [];
}
