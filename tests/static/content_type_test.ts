/** Media types by file extension. */

import { contentTypeOf } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";

const TYPES: readonly [name: string, type: string, why: string][] = [
  ["index.html", "text/html; charset=utf-8", "text is declared as UTF-8"],
  ["a.htm", "text/html; charset=utf-8", "the short extension"],
  ["app.css", "text/css; charset=utf-8", "text"],
  ["app.js", "text/javascript; charset=utf-8", "RFC 9239, not application/javascript"],
  ["app.mjs", "text/javascript; charset=utf-8", "RFC 9239: a module"],
  ["app.cjs", "text/javascript; charset=utf-8", "a script"],
  ["notes.txt", "text/plain; charset=utf-8", "text"],
  ["README.md", "text/markdown; charset=utf-8", "RFC 7763 requires a charset"],
  ["data.csv", "text/csv; charset=utf-8", "RFC 7111"],
  ["captions.vtt", "text/vtt; charset=utf-8", "text"],
  ["cal.ics", "text/calendar; charset=utf-8", "RFC 5545"],
  ["data.json", "application/json", "RFC 8259 §11: it has no charset"],
  ["app.js.map", "application/json", "the last extension counts"],
  ["app.webmanifest", "application/manifest+json", "not a text type"],
  ["icon.svg", "image/svg+xml", "XML declares its own encoding"],
  ["feed.xml", "application/xml", "XML declares its own encoding"],
  ["icon.png", "image/png", "an image"],
  ["photo.JPG", "image/jpeg", "extensions are case-insensitive"],
  ["photo.jpeg", "image/jpeg", "the long extension"],
  ["a.avif", "image/avif", "an image"],
  ["a.webp", "image/webp", "RFC 9649"],
  ["favicon.ico", "image/vnd.microsoft.icon", "as registered at IANA"],
  ["a.woff2", "font/woff2", "RFC 8081"],
  ["a.woff", "font/woff", "RFC 8081"],
  ["a.ttf", "font/ttf", "RFC 8081"],
  ["a.wasm", "application/wasm", "instantiateStreaming() requires it"],
  ["a.pdf", "application/pdf", "RFC 8118"],
  ["a.mp4", "video/mp4", "RFC 4337"],
  ["a.mp3", "audio/mpeg", "RFC 3003"],
  ["archive.tar.gz", "application/gzip", "the last extension; there is no Content-Encoding"],
  ["archive.zip", "application/zip", "an archive"],
  ["blob.zzz", "application/octet-stream", "unknown"],
  ["LICENSE", "application/octet-stream", "no extension"],
  ["", "application/octet-stream", "no name"],
  [".", "application/octet-stream", "nothing after the dot"],
  ["a.", "application/octet-stream", "nothing after the dot"],
  ["a.html.", "application/octet-stream", "nothing after the last dot"],
  ["html", "application/octet-stream", "a name is not an extension"],
  ["v1.html/LICENSE", "application/octet-stream", "the extension of a folder is not the file's"],
  [
    "v1.2/app.js",
    "text/javascript; charset=utf-8",
    "the extension of a folder does not hide the file's",
  ],
  ["a.html ", "application/octet-stream", "nothing is trimmed"],
  ["a.html?x", "application/octet-stream", "the name of a file, not a URL"],
  ["a.html;x.png", "image/png", "a semicolon is an ordinary character"],
  ["a.constructor", "application/octet-stream", "a name of Object.prototype"],
  ["a.__proto__", "application/octet-stream", "a name of Object.prototype"],
  ["a.toString", "application/octet-stream", "a name of Object.prototype"],
  ["a.ts", "application/octet-stream", "TypeScript or MPEG: ambiguous"],
];

for (const [name, type, why] of TYPES) {
  Deno.test(`contentTypeOf() returns ${JSON.stringify(name)} ${type}: ${why}`, () => {
    assertEquals(contentTypeOf(name), type);
    if (name !== "" && !name.startsWith(".")) assertEquals(contentTypeOf(`sub/${name}`), type);
  });
}

Deno.test("contentTypeOf() has a charset only for text, and every type is a valid field value", () => {
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
