import {
  createContainer,
  inMemoryAuthStores,
  pbkdf2Hasher,
  registerAuth,
  routerBuilder,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { SessionsController } from "../../examples/notes/session_controller.ts";

/** The current session, and which of three sessions stay valid: two of the user, one of another user. */
const ASKING: readonly (readonly [
  why: string,
  sessionId: (own: string) => string | undefined,
  alive: readonly boolean[],
])[] = [
  ["keeps the current session", (own) => own, [true, false, true]],
  ["keeps none without a current session", () => undefined, [false, false, true]],
];

for (const [why, sessionId, alive] of ASKING) {
  Deno.test(`DELETE /sessions revokes a user's sessions and ${why}`, async () => {
    const container = createContainer();
    const { passwords, sessions } = registerAuth({
      secret: "a secret that only the tests know, for tests",
      stores: inMemoryAuthStores(),
      deployment: "direct",
      hasher: pbkdf2Hasher({ iterations: 1_000 }),
      warn: () => {},
      container,
    });
    const users = await Promise.all(
      ["ada", "eve"].map((sub) =>
        passwords.createUser({ identifier: sub, password: "five quiet herons at dawn" }, { sub })
      ),
    );
    const [ada, eve] = users;
    const begun = [];
    for (const user of [ada, ada, eve]) {
      if (user !== undefined) begun.push(await sessions.create(user));
    }
    const id = sessionId(begun[0]?.session.id ?? "");
    const principal = {
      sub: "ada",
      method: "test",
      ...(id === undefined ? {} : { sessionId: id }),
    };
    const router = routerBuilder({ container }).withAuth({
      guard: () => principal,
      authorize: () => {},
    })
      .controllers(SessionsController)
      .build();
    assertEquals((await router.request("/sessions", { method: "DELETE" })).status, 204);
    const left = await Promise.all(begun.map(({ token }) => sessions.verify(token)));
    assertEquals(left.map((one) => one !== undefined), alive);
  });
}
