/**
 * An API whose types are all that describes it: what a kennel tells its clients.
 *
 * @module
 */

import {
  Controller,
  createContainer,
  Get,
  type Json,
  json,
  type Multipart,
  type PathParams,
  Post,
  type QueryParams,
  type RequestSpec,
  type ResponseSpec,
  routerBuilder,
  type TypedRequest,
  type TypedResponse,
  type TypedRouter,
} from "@gatehouse/http";
import { z } from "zod";

/** How an animal feels. */
export type Mood = "happy" | "angry" | "asleep";

/** How large an animal is. */
export type Size = "small" | "large";

/** A cat. */
export interface Cat {
  kind: "cat";
  /** Lives that are left. @type integer @minimum 0 @maximum 9 */
  lives: number;
}

/** A dog. */
export interface Dog {
  kind: "dog";
  tricks: string[];
}

/** What an animal is. */
export type Species = Cat | Dog;

/** The number of a chip, ISO 11784. */
type Chip = `chip-${number}`;
declare const brand: unique symbol;
/** A word that a person is known by. @minLength 1 @maxLength 40 */
export type Handle = string & { readonly [brand]: "Handle" };

/** Who an animal belongs to. */
export interface Owner {
  handle: Handle;
  /** @format email */
  email?: string;
  pets: Pet[];
}

/** An animal that lives here. */
export interface Pet {
  /** @example "chip-7" */
  chip: Chip;
  name: string;
  mood: Mood | null;
  size?: Size;
  species: Species;
  owner: Owner | null;
  born: Date;
  /** Where it slept, from the first night on. */
  nights: [first: string, ...others: string[]];
  weights: Record<string, number>;
  /** @deprecated since its owner says it */
  phone?: string | number;
}

/** A part of a list. */
export interface Page<T> {
  items: T[];
  /** @default {10} @type integer */
  size?: number;
  next: string | null;
}

/** What a kennel has to know of a new animal. */
export type NewPet = Omit<Pet, "born" | "owner" | "nights"> & { owner?: Handle };
/** What may be said anew. */
export type PetPatch = Partial<Pick<Pet, "name" | "mood" | "weights">>;

const receiptSchema = z.object({ total: z.number(), paid: z.boolean().optional() });
/** What a stay costs. */
type Receipt = z.infer<typeof receiptSchema>;

/** Papers of an animal. */
export interface Papers {
  scans: File[];
  remark?: string;
}

type ChipPath = PathParams<{ chip: string }>;

@Controller("/owners")
class OwnersController {
  @Get("/:handle")
  find(req: TypedRequest<RequestSpec<PathParams<{ handle: string }>>>): TypedResponse<Owner> {
    return json({ handle: req.params.handle as Handle, pets: [] });
  }

  @Post("/:chip/papers", { multipart: true })
  add(
    req: TypedRequest<RequestSpec<Multipart<Papers>, ChipPath>>,
  ): TypedResponse<{ files: number }> {
    return json({ files: req.content.getAll("scans").length });
  }
}

/** Answers nothing of use. */
export const router: TypedRouter = routerBuilder({
  container: createContainer(),
  info: { title: "Kennel", version: "1.0.0", license: { name: "MIT", identifier: "MIT" } },
}).controllers(OwnersController).build()
  .get<RequestSpec<QueryParams<{ mood?: Mood; chip?: Chip[] }>>, ResponseSpec<Page<Pet>>>(
    "/pets",
    () => json({ items: [], next: null }),
  )
  .post<RequestSpec<Json<NewPet>>, ResponseSpec<Pet>>("/pets", () => {
    throw new Error("nobody is home");
  })
  .patch<RequestSpec<Json<PetPatch>, ChipPath>, ResponseSpec<Pet | null>>(
    "/pets/:chip",
    () => json(null),
  )
  .get("/pets/:chip/receipt", (): TypedResponse<Receipt> => json({ total: 1 }))
  .get("/moods", () => json({ moods: { happy: 1 } as Record<Mood, number>, at: new Date(0) }));
