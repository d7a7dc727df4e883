/** Media types by the ending of a name. */

import { contentTypeOf } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";

const TYPES: readonly [name: string, type: string, why: string][] = [
  ["index.html", "text/html; charset=utf-8", "text is said to be UTF-8"],
  ["a.htm", "text/html; charset=utf-8", "the short ending"],
  ["app.css", "text/css; charset=utf-8", "text"],
  ["app.js", "text/javascript; charset=utf-8", "RFC 9239, not application/javascript"],
  ["app.mjs", "text/javascript; charset=utf-8", "RFC 9239: a module"],
  ["app.cjs", "text/javascript; charset=utf-8", "a script"],
  ["notes.txt", "text/plain; charset=utf-8", "text"],
  ["README.md", "text/markdown; charset=utf-8", "RFC 7763 wants a charset"],
  ["data.csv", "text/csv; charset=utf-8", "RFC 7111"],
  ["captions.vtt", "text/vtt; charset=utf-8", "text"],
  ["cal.ics", "text/calendar; charset=utf-8", "RFC 5545"],
  ["data.json", "application/json", "RFC 8259 §11: it has no charset"],
  ["app.js.map", "application/json", "the last ending counts"],
  ["app.webmanifest", "application/manifest+json", "no text type"],
  ["icon.svg", "image/svg+xml", "XML says its own encoding"],
  ["feed.xml", "application/xml", "XML says its own encoding"],
  ["icon.png", "image/png", "an image"],
  ["photo.JPG", "image/jpeg", "endings are read in any case"],
  ["photo.jpeg", "image/jpeg", "the long ending"],
  ["a.avif", "image/avif", "an image"],
  ["a.webp", "image/webp", "RFC 9649"],
  ["favicon.ico", "image/vnd.microsoft.icon", "as IANA has it"],
  ["a.woff2", "font/woff2", "RFC 8081"],
  ["a.woff", "font/woff", "RFC 8081"],
  ["a.ttf", "font/ttf", "RFC 8081"],
  ["a.wasm", "application/wasm", "instantiateStreaming() takes no other"],
  ["a.pdf", "application/pdf", "RFC 8118"],
  ["a.mp4", "video/mp4", "RFC 4337"],
  ["a.mp3", "audio/mpeg", "RFC 3003"],
  ["archive.tar.gz", "application/gzip", "the last ending; there is no Content-Encoding"],
  ["archive.zip", "application/zip", "an archive"],
  ["blob.zzz", "application/octet-stream", "unknown"],
  ["LICENSE", "application/octet-stream", "no ending"],
  ["", "application/octet-stream", "no name"],
  [".", "application/octet-stream", "nothing behind the dot"],
  ["a.", "application/octet-stream", "nothing behind the dot"],
  ["a.html.", "application/octet-stream", "nothing behind the last dot"],
  ["html", "application/octet-stream", "a name is no ending"],
  ["v1.html/LICENSE", "application/octet-stream", "the ending of a folder is not the file's"],
  ["v1.2/app.js", "text/javascript; charset=utf-8", "nor does it hide the file's"],
  ["a.html ", "application/octet-stream", "nothing is trimmed"],
  ["a.html?x", "application/octet-stream", "the name of a file, not a URL"],
  ["a.html;x.png", "image/png", "a semicolon is an ordinary character"],
  ["a.constructor", "application/octet-stream", "a name of Object.prototype"],
  ["a.__proto__", "application/octet-stream", "a name of Object.prototype"],
  ["a.toString", "application/octet-stream", "a name of Object.prototype"],
  ["a.ts", "application/octet-stream", "TypeScript or MPEG: nobody can tell"],
];

for (const [name, type, why] of TYPES) {
  Deno.test(`contentTypeOf() returns ${JSON.stringify(name)} ${type}: ${why}`, () => {
    assertEquals(contentTypeOf(name), type);
    if (name !== "" && !name.startsWith(".")) assertEquals(contentTypeOf(`sub/${name}`), type);
  });
}

Deno.test("contentTypeOf() says charset of text alone, and writes every type as a field takes it", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  let known = 0;
  const endings = [...letters].flatMap((a) =>
    ["", ...letters].flatMap((b) => ["", ...letters].map((c) => a + b + c))
  );
  for (const ending of [...endings, "html", "woff2", "webmanifest", "docx", "jsonld"]) {
    const type = contentTypeOf(`a.${ending}`);
    assertMatch(type, /^[a-z]+\/[\w.+-]+(?:; charset=utf-8)?$/, ending);
    assertEquals(type.startsWith("text/"), type.endsWith("; charset=utf-8"), ending);
    assertEquals(contentTypeOf(`a.${ending.toUpperCase()}`), type, ending);
    if (type !== "application/octet-stream") known++;
  }
  assert(known > 50, `${known}`);
});
