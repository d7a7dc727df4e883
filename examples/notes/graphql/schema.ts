/**
 * The GraphQL schema: notes, their changes, and who may read and write them.
 *
 * @module
 */

import {
  Authenticated,
  Authorize,
  type GraphqlAuthContext,
  protectSchema,
  requireSubject,
} from "@gatehouse/http/auth/graphql";
import {
  createGraphQLError,
  createSchema,
  type GraphQLSchemaWithContext,
  type YogaInitialContext,
} from "graphql-yoga";
import { type Note, type NoteInput, noteInputSchema } from "../note.ts";
import type { NotePage } from "../store.ts";
import type { NoteChange, NoteChanges } from "../changes.ts";

/** What resolvers get as their context. */
export type NoteContext = YogaInitialContext & GraphqlAuthContext;

/** What the schema is about. */
export interface NoteSchemaParts {
  /** The notes, and their changes. */
  readonly changes: NoteChanges;
  /** Creates a note. */
  readonly makeNote: (input: NoteInput) => Note;
}

const typeDefs = /* GraphQL */ `
  type Note {
    id: ID!
    title: String!
    text: String!
    tags: [String!]!
    "Seconds since the Unix epoch."
    createdAt: Float!
    "Seconds since the Unix epoch."
    updatedAt: Float!
  }
  "Notes, newest first."
  type NotePage {
    notes: [Note!]!
    "The argument before of the next page; absent on the last."
    next: ID
  }
  type NoteChange {
    kind: ChangeKind!
    "The note after the change, or before it was removed."
    note: Note!
  }
  enum ChangeKind { ADDED CHANGED REMOVED }
  input NoteInput {
    title: String!
    text: String
    tags: [String!]
  }
  type Query {
    notes(search: String, first: Int! = 20, before: ID): NotePage!
    note(id: ID!): Note
  }
  type Mutation {
    addNote(input: NoteInput!): Note!
    removeNote(id: ID!): Note
  }
  type Subscription {
    "Changes of your notes, from now on."
    noteChanges: NoteChange!
  }
`;

interface ListArguments {
  readonly search?: string | null;
  readonly first: number;
  readonly before?: string | null;
}

type Id = { readonly id: string };

/** Creates the schema. Fields are closed unless declared otherwise; owners may read and remove their notes. */
export function createNoteSchema(
  { changes, makeNote }: NoteSchemaParts,
): GraphQLSchemaWithContext<NoteContext> {
  const { store } = changes;
  const schema = createSchema<NoteContext>({
    typeDefs,
    resolvers: {
      Query: {
        notes(_, { search, first, before }: ListArguments, context): Promise<NotePage> {
          return store.list(requireSubject(context).sub, {
            limit: Math.min(Math.max(first, 1), 100),
            ...(search ? { search } : {}),
            ...(before ? { before } : {}),
          });
        },
        note: async (_, { id }: Id): Promise<Note | undefined> => (await store.find(id))?.note,
      },
      Mutation: {
        async addNote(_, { input }: { input: unknown }, context): Promise<Note> {
          const { success, data, error } = noteInputSchema.safeParse(withoutNulls(input));
          if (!success) throw invalid(error.issues[0]?.message);
          const note = makeNote(data);
          await store.add({ owner: requireSubject(context).sub, note });
          return note;
        },
        async removeNote(_, { id }: Id): Promise<Note | undefined> {
          for (;;) {
            const found = await store.find(id);
            if (found === undefined || await store.remove(found) === "removed") return found?.note;
          }
        },
      },
      Subscription: {
        noteChanges: {
          subscribe: (_, _args, context) => changes.of(requireSubject(context).sub),
          resolve: (change: NoteChange) => change,
        },
      },
    },
  });
  const OWN_NOTE = Authorize({ resource: "note" });
  return protectSchema(schema, {
    default: Authenticated({ scope: "any" }),
    rules: {
      Query: { "*": Authenticated({ scope: ["notes:read"] }), note: OWN_NOTE },
      Mutation: { "*": Authenticated({ scope: ["notes:write"] }), removeNote: OWN_NOTE },
      Subscription: { "*": Authenticated({ scope: ["notes:read"] }) },
    },
  });
}

/** A member that is `null` counts as left out. */
function withoutNulls(input: unknown): unknown {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null));
}

function invalid(message = "Invalid note"): Error {
  return createGraphQLError(message, { extensions: { code: "BAD_USER_INPUT" } });
}
