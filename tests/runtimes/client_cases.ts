/**
 * The client that `http client generate` has written for the example, on every runtime.
 *
 * @module
 */

import { createClient, type NoteChange, type Tokens } from "../../examples/notes/assets/client.js";
import { createRouter, HttpError, json, sse } from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";

const baseUrl = "https://notes.example";
const NOTE = { id: "1", title: "Milk", text: "", tags: [], createdAt: 1, updatedAt: 1 };

/** Every case, in the order in which they run. */
export const clientCases: readonly RuntimeCase[] = [
  {
    name: "A generated client sends parameters, JSON and forms, and returns data and problems",
    async run() {
      const router = createRouter()
        .get("/notes", (req) => json({ notes: [], next: req.query.q }))
        .get("/notes/:id", (req) => {
          if (req.params.id === "../1?") return json(NOTE);
          throw new HttpError(404, "no_such_note");
        })
        .post("/notes/:id/attachments", async (req) => {
          const files = (req.content as FormData).getAll("file");
          const texts = await Promise.all(files.map((file) => (file as File).text()));
          return json({ attachments: texts }, { status: 201 });
        }, { multipart: true })
        .get(
          "/notes/:id/attachments/:name",
          () => new Response("{}", { headers: { "Content-Type": "application/json" } }),
        );
      const client = createClient({ baseUrl, fetch: router.fetch, csrf: false });

      const list = await client("GET /notes", { query: { q: "a&b" } });
      assertSame([list.ok, list.status, list.ok && list.data.next], [true, 200, "a&b"]);
      const read = await client("GET /notes/{id}", { params: { id: "../1?" } });
      assertSame(read.ok && read.data, NOTE);
      const missing = await client("GET /notes/{id}", { params: { id: "2" } });
      assertSame([missing.status, missing.ok || missing.problem.code], [404, "no_such_note"]);

      const body = { file: [new File(["a"], "a.txt"), new File(["b"], "b.txt")] };
      const uploaded = await client("POST /notes/{id}/attachments", { params: { id: "1" }, body });
      assertSame(JSON.stringify(uploaded.ok && uploaded.data), '{"attachments":["a","b"]}');
      const params = { id: "1", name: "a.json" };
      const download = await client("GET /notes/{id}/attachments/{name}", { params });
      assertSame(download.ok && await download.data.text(), "{}");
    },
  },
  {
    name: "A generated client reads a stream of events, and opens it again",
    async run() {
      const router = createRouter().get(
        "/changes",
        (req) =>
          sse(req, async function* ({ lastEventId = "0" }) {
            const start = Number(lastEventId);
            const note: NoteChange["note"] = NOTE;
            for (let n = start + 1; n <= start + 2; n++) {
              yield {
                id: String(n),
                retry: 1,
                data: { kind: "ADDED", note: { ...note, id: String(n) } },
              };
            }
          }),
      );
      const client = createClient({ baseUrl, fetch: router.fetch });
      const changes = await client("GET /changes");
      assert(changes.ok, "the stream begins");
      const ids: string[] = [];
      for await (const { data } of changes.data) if (ids.push(data.note.id) === 5) break;
      assertSame(ids, ["1", "2", "3", "4", "5"]);
    },
  },
  {
    name: "A generated client sends CSRF tokens, and refreshes tokens once for all calls",
    async run() {
      let refreshes = 0;
      const router = createRouter()
        .get("/auth/csrf", () => json({ csrfToken: "t", header: "X-CSRF-Token" }))
        .post("/tokens/refresh", () => json({ accessToken: `a${++refreshes}`, refreshToken: "r" }))
        .delete("/account", (req) => {
          if (req.headers.get("X-CSRF-Token") !== "t") throw new HttpError(403, "csrf_failed");
          return json({});
        })
        .get("/api-keys", (req) => {
          if (req.headers.get("Authorization") !== "Bearer a1") {
            throw new HttpError(401, "token_expired");
          }
          return json({ apiKeys: [] });
        });
      const page = createClient({ baseUrl, fetch: router.fetch });
      assertSame((await page("DELETE /account")).status, 200);

      let tokens: Tokens | undefined = { accessToken: "a0", refreshToken: "r" };
      const program = createClient({
        baseUrl,
        fetch: router.fetch,
        tokens: { get: () => tokens, set: (next) => void (tokens = next) },
      });
      const calls = await Promise.all(Array.from({ length: 20 }, () => program("GET /api-keys")));
      assertSame([calls.every(({ status }) => status === 200), refreshes], [true, 1]);
    },
  },
];
