/** Operations that try to get past the guards of a GraphQL schema by how they are executed. Rows are only added. */

import {
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
} from "@gatehouse/http/auth";
import { Authenticated, Authorize, protectSchema } from "@gatehouse/http/auth/graphql";
import { assert, assertEquals } from "@std/assert";
import { codesOf, createUsers, QUIET, run, testBoth, VERSIONS } from "../auth/graphql/_schemas.ts";

const SDL = `
  type User { name: String email: String }
  type Query { me(id: Int): User users: [User] open: String }
`;
const USER = { name: "secret name", email: "secret@x" };
const ROOT = { me: USER, users: [USER, USER], open: "open" };
const RULES = { rules: { User: { "*": Authenticated() } }, ...QUIET };

const INCREMENTAL: readonly (readonly [attack: string, query: string, refused: number])[] = [
  ["@defer", "{ open me { ... @defer { name email } } }", 2],
  ["@stream", "{ open users @stream(initialCount: 0) { name } }", 2],
  ["@defer under @stream", "{ open users @stream(initialCount: 1) { ... @defer { name } } }", 2],
];

for (const [attack, query, refused] of INCREMENTAL) {
  Deno.test(`GraphQL answers no secret in the later payloads of ${attack} [34] (17)`, async () => {
    const module = VERSIONS.find(({ name }) => name === "17")?.module;
    assert(module !== undefined);
    const directives = [module.GraphQLDeferDirective, module.GraphQLStreamDirective];
    const config = module.buildSchema(SDL).toConfig();
    const schema = new module.GraphQLSchema({
      ...config,
      directives: [...config.directives, ...directives],
    });
    protectSchema(schema, RULES);
    const document = module.parse(query);
    assertEquals(module.validate(schema, document), []);
    for (const sub of [undefined, "ada"]) {
      const contextValue = await createUsers().as(sub);
      const result = await module.experimentalExecuteIncrementally({
        schema,
        document,
        rootValue: ROOT,
        contextValue,
      });
      assert("initialResult" in result);
      const payloads: unknown[] = [result.initialResult];
      for await (const payload of result.subsequentResults) payloads.push(payload);
      const text = JSON.stringify(payloads);
      assertEquals(text.includes("secret"), sub !== undefined);
      assertEquals(text.split('"UNAUTHENTICATED"').length - 1, sub === undefined ? refused : 0);
    }
  });
}

testBoth(
  "GraphQL keeps two operations over one context apart, one refused and one not [16, 39]",
  async (version) => {
    let isOpen = true;
    const manager: AuthorizationManager = {
      authorize: async () => {
        const verdict = isOpen ? authorizationAllowed() : authorizationDenied("closed");
        isOpen = !isOpen;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return verdict;
      },
    };
    const rules = { User: { name: Authorize("x") } };
    const schema = protectSchema(version.module.buildSchema(SDL), { rules, manager, ...QUIET });
    const contextValue = await createUsers().as("ada");
    const operation = { source: "{ users { name } }", rootValue: ROOT, contextValue };
    const [first, second] = await Promise.all([
      run(version, schema, operation),
      run(version, schema, operation),
    ]);
    assertEquals(codesOf(first), {});
    assertEquals(codesOf(second), { "users.0.name": "FORBIDDEN", "users.1.name": "FORBIDDEN" });
  },
);

testBoth(
  "GraphQL refuses whoever has the state of nobody, with the principal of somebody [13]",
  async (version) => {
    const schema = protectSchema(version.module.buildSchema(SDL), RULES);
    const users = createUsers();
    const ada = await users.as("ada");
    const mixed = { ...ada, ...await users.as() };
    const contexts = [mixed, { ...await users.as(), principal: ada.principal }, {
      ...mixed,
      ...{},
    }];
    for (const contextValue of contexts) {
      const answer = await run(version, schema, {
        source: "{ me { name } }",
        rootValue: ROOT,
        contextValue,
      });
      assertEquals(codesOf(answer), { "me.name": "UNAUTHENTICATED" });
    }
  },
);

testBoth(
  "GraphQL takes no declaration from a polluted Object.prototype [ours]",
  async (version) => {
    const names = ["auth", "User", "*", "principal", "status"];
    const contextValue = await createUsers().as();
    const schema = version.module.buildSchema(SDL);
    try {
      for (const name of names) {
        Object.defineProperty(Object.prototype, name, { value: "polluted", configurable: true });
      }
      protectSchema(schema, RULES);
      const operation = { source: "{ me { name } }", rootValue: ROOT, contextValue };
      const answer = await run(version, schema, operation);
      assertEquals(answer.errors?.map(({ message }) => message), ["Authentication required"]);
    } finally {
      for (
        const name of names
      ) delete (Object.prototype as unknown as Record<string, unknown>)[name];
    }
  },
);

testBoth(
  "GraphQL answers a manager that asks the same schema itself, and never before its verdict [20, ours]",
  async (version) => {
    let depth = 0;
    const resolved: string[] = [];
    const { promise: never } = Promise.withResolvers<ReturnType<typeof authorizationAllowed>>();
    const manager: AuthorizationManager = {
      async authorize(_principal, { metadata }) {
        if (metadata === "never") return await never;
        if (depth++ === 0) {
          const inner = await run(version, schema, { source: "{ me { name } }", rootValue: ROOT });
          assertEquals(codesOf(inner), { "me.name": "UNAUTHENTICATED" }); // it has no context
        }
        return authorizationAllowed();
      },
    };
    const rules = { User: { name: Authorize("x"), email: Authorize("never") } };
    const schema = protectSchema(version.module.buildSchema(SDL), { rules, manager, ...QUIET });
    const email = () => (resolved.push("email"), "secret@x");
    const contextValue = await createUsers().as("ada");
    const rootValue = { me: { name: "Ada", email } };
    const answer = await run(version, schema, {
      source: "{ me { name } }",
      rootValue,
      contextValue,
    });
    assertEquals(answer, { data: { me: { name: "Ada" } } });
    const pending = run(version, schema, { source: "{ me { email } }", rootValue, contextValue });
    const first = await Promise.race([
      pending,
      new Promise((resolve) => setTimeout(() => resolve("waiting"), 20)),
    ]);
    assertEquals([first, resolved], ["waiting", []]);
  },
);
