/**
 * The chat: one room for all users whom this process has connected.
 *
 * @module
 */

import {
  type AuthEvent,
  getSession,
  type LiveSocket,
  type Principal,
  type RouteRequest,
  websocket,
  type WebSocketResponse,
} from "@gatehouse/http/native";

/** What members see. */
export interface ChatMessage {
  /** What its author signs in by. */
  readonly from: string;
  /** What was written. */
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Somebody who is there, in one window. */
interface Member {
  readonly sub: string;
  readonly name: string;
}

/** The room. */
export interface Chat {
  /** Opens a member's connection. */
  join(req: RouteRequest & { readonly principal: Principal }): WebSocketResponse;
  /** Checks the connections at once whose session may have ended. */
  onEvent(event: AuthEvent): void;
}

/** Messages that newcomers see. They are gone when the process ends. */
const HISTORY = 50;

/** Characters of a message, at most. */
const MAX_LENGTH = 500;

/** A connection's next message is handled so many milliseconds later. Who sends faster for long is disconnected. */
const PAUSE_MS = 100;

/** Creates the room. @param signal Disconnects everybody. */
export function createChat(nowMs: () => number, signal: AbortSignal | undefined): Chat {
  const members = new Map<LiveSocket, Member>();
  const history: ChatMessage[] = [];

  function broadcast(data: object): void {
    const text = JSON.stringify(data);
    for (const socket of members.keys()) socket.send(text);
  }

  function tellPresence(): void {
    broadcast({ present: new Set([...members.values()].map(({ sub }) => sub)).size });
  }

  function join(req: RouteRequest & { readonly principal: Principal }): WebSocketResponse {
    const member = { sub: req.principal.sub, name: getSession(req)?.user.identifier ?? "" };
    return websocket(req, {
      open(socket) {
        members.set(socket, member);
        socket.send(JSON.stringify({ messages: history }));
        tellPresence();
      },
      async message(_socket, data) {
        const text = typeof data === "string" ? data.trim().slice(0, MAX_LENGTH) : "";
        if (text === "") return;
        const message: ChatMessage = { from: member.name, text, at: nowMs() };
        history.push(message);
        if (history.length > HISTORY) history.shift();
        broadcast({ messages: [message] });
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      },
      close(socket) {
        members.delete(socket);
        tellPresence();
      },
    }, { maxMessageBytes: 4 * MAX_LENGTH, signal });
  }

  function onEvent(event: AuthEvent): void {
    if (event.type !== "session.revoked") return;
    for (const [socket, { sub }] of members) {
      if (sub === event.sub) void socket.recheck();
    }
  }

  return { join, onEvent };
}
