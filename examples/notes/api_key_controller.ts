/**
 * `/api-keys` and `/api-keys/:id`, where users create keys for their API clients. API clients cannot create keys.
 *
 * @module
 */

import {
  type ApiKeyInfo,
  Controller,
  Delete,
  empty,
  Get,
  HttpError,
  inject,
  type Json,
  json,
  type PathParams,
  Post,
  type Principal,
  type RequestSpec,
  type TypedRequest,
  type TypedResponse,
} from "@gatehouse/http";
import { IN_PERSON } from "./access.ts";
import { type NewApiKey, newApiKeySchema } from "./api_key.ts";
import { API_KEYS } from "./tokens.ts";

/** A key that was just created. */
interface MadeApiKey {
  /** The whole key, for the header `X-API-Key`. It cannot be retrieved later. */
  readonly key: string;
  /** The stored part. */
  readonly info: ApiKeyInfo;
}

/** The keys of a user. */
interface ApiKeys {
  /** The keys, expired ones too. */
  readonly apiKeys: readonly ApiKeyInfo[];
}

const DAY = 86_400;

/** Creates, lists and revokes keys of the principal. */
@Controller("/api-keys")
export class ApiKeysController {
  readonly #apiKeys = inject(API_KEYS);

  @Post("/", {
    ...IN_PERSON,
    summary: "Create an API key",
    schema: { body: newApiKeySchema },
    responses: {
      201: { description: "The key, shown only once" },
      409: { description: "You have too many keys" },
    },
  })
  async create(
    req: TypedRequest<RequestSpec<Json<NewApiKey>>, Principal>,
  ): Promise<TypedResponse<MadeApiKey>> {
    const { name, scope, expiresInDays } = req.content;
    const made = await this.#apiKeys.create(req.principal.sub, {
      name,
      scope,
      ...(expiresInDays === undefined ? {} : { expiresIn: expiresInDays * DAY }),
    });
    return json(made, { status: 201 });
  }

  @Get("/", {
    ...IN_PERSON,
    summary: "List your API keys",
    responses: { 200: { description: "The keys, without their secrets" } },
  })
  async list(req: TypedRequest<RequestSpec, Principal>): Promise<TypedResponse<ApiKeys>> {
    return json({ apiKeys: await this.#apiKeys.list(req.principal.sub) });
  }

  @Delete("/:id", {
    ...IN_PERSON,
    summary: "Revoke one of your API keys",
    responses: {
      204: { description: "The key is revoked" },
      404: { description: "You have no key with this id" },
    },
  })
  async revoke(
    req: TypedRequest<RequestSpec<PathParams<{ readonly id: string }>>, Principal>,
  ): Promise<TypedResponse<never>> {
    if (await this.#apiKeys.revoke(req.principal.sub, req.params.id)) return empty();
    throw new HttpError(404, "no_such_api_key", { detail: "You have no key with this id" });
  }
}
