/** What the compiler says of a method that does not fit its route can be read, in both modes. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { messagesByLine } from "./_messages.ts";

const MODULE = `
import { Controller, Get, json, type Json, type Multipart, type PathParams, Post, type RequestSpec, type TypedRequest } from "@gatehouse/http";
import { z } from "zod";

interface User { readonly name: string }
type WithId = TypedRequest<RequestSpec<PathParams<{ id: string }>>>;
type WithUser = TypedRequest<RequestSpec<Json<User>>>;
type WithForm = TypedRequest<RequestSpec<Multipart<User>>>;
type Known = TypedRequest<RequestSpec, { readonly sub: string }>;

class Wrong {
`;

/** A method that does not fit, and what the message must say of it. */
const WRONG: readonly (readonly [method: string, ...words: string[]])[] = [
  [
    '@Get("/:userId") a(req: WithId) { return json(req.params.id); }',
    '"Path parameter missing in PathParams"',
    '"userId"',
  ],
  [
    '@Get("/:id") b(req: TypedRequest<RequestSpec<PathParams<{ id: number }>>>) { return json(req.params.id); }',
    '"Path parameter has another type"',
  ],
  [
    "@Get() c(req: WithUser) { return json(req.content.name); }",
    '"Content does not fit"',
  ],
  [
    "@Post() d(req: WithForm) { return json(req.content.getAll('a').length); }",
    '"FormData needs multipart: true"',
  ],
  [
    "@Post('/', { schema: { body: z.object({ name: z.number() }) } }) e(req: WithUser) { return json(req.content.name); }",
    '"Content does not fit"',
  ],
  [
    "@Get('/', { schema: { query: z.object({ page: z.number() }) } }) f(req: TypedRequest) { return json(req.query); }",
    '"Output of schema.query does not fit"',
    "page: number",
  ],
  [
    "@Get('/', { schema: { response: z.object({ name: z.string() }) } }) g() { return json({ name: 1 }); }",
    '"Response type does not fit"',
  ],
  ["@Get() h() {}", '"Response type does not fit"'],
  [
    "@Get('/', { auth: false }) i(req: Known) { return json(req.principal.sub); }",
    '"Principal declared, but auth may be false"',
    "sub: string",
  ],
  [
    "@Get('/', { auth: { mode: 'optional' } }) j(req: Known) { return json(req.principal.sub); }",
    '"Principal may be undefined where auth is optional"',
  ],
];

for (const experimentalDecorators of [false, true]) {
  const mode = experimentalDecorators ? "legacy" : "standard";
  Deno.test(`Get() and its siblings have readable messages for mismatches: ${mode} decorators`, async () => {
    const text = MODULE + WRONG.map(([method]) => `${method}\n`).join("") + "}\nvoid Wrong;\n";
    const first = MODULE.split("\n").length;
    const messages = await messagesByLine(text, { experimentalDecorators });
    for (const [index, [method, ...words]] of WRONG.entries()) {
      const message = messages.get(first + index) ?? "no message";
      for (const word of words) assertStringIncludes(message, word, method);
    }
    assertEquals(messages.size, WRONG.length);
  });
}
