/**
 * Clients of the MCP SDKs, and the program that they are part of: it keeps what they learn, and has a browser.
 *
 * @module
 */

import { MCP_CLIENT, MCP_SDK } from "./versions.ts";

/** What a client keeps of a registration. */
export interface ClientInformation {
  readonly client_id: string;
  readonly [member: string]: unknown;
}

/** What a client keeps of a token response. */
export interface KeptTokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly [member: string]: unknown;
}

/** What of a client is used. Nothing imports the SDKs by a literal specifier, so that their types are not there. */
export interface McpClient {
  connect(transport: McpTransport): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments?: object }): Promise<{
    readonly content: readonly { readonly type: string; readonly text: string }[];
  }>;
  close(): Promise<void>;
}

/** The connection of a client. */
export interface McpTransport {
  finishAuth(code: string | URLSearchParams): Promise<void>;
  close(): Promise<void>;
}

type New<Result, Args extends unknown[]> = new (...args: Args) => Result;

/** What an SDK exports. */
interface McpModules {
  readonly Client: New<McpClient, [{ readonly name: string; readonly version: string }]>;
  readonly StreamableHTTPClientTransport: New<
    McpTransport,
    [URL, { readonly authProvider: McpProgram }]
  >;
}

/** A generation of the SDK. */
export interface McpGeneration {
  readonly name: string;
  readonly modules: () => Promise<McpModules>;
  /** The scopes that it asks for, where the API names `notes`. */
  readonly scope: string;
  /** What `finishAuth()` gets of the response. */
  readonly answerOf: (parameters: URLSearchParams) => string | URLSearchParams;
}

/** Both generations. */
export const GENERATIONS: readonly McpGeneration[] = [
  {
    name: "@modelcontextprotocol/sdk",
    scope: "notes",
    modules: async () => ({
      ...await import(`${MCP_SDK}/client/index.js`),
      ...await import(`${MCP_SDK}/client/streamableHttp.js`),
    }),
    answerOf: (parameters) => parameters.get("code") ?? "",
  },
  {
    name: "@modelcontextprotocol/client",
    scope: "notes offline_access", // it reads in the metadata that the server knows it
    modules: async () => await import(MCP_CLIENT),
    answerOf: (parameters) => parameters, // it compares `iss`, RFC 9207
  },
];

/** How a program makes itself known. */
export interface ProgramOptions {
  /** URL of its document. @default it registers itself */
  readonly clientMetadataUrl?: string;
  readonly redirectUrl?: string;
  readonly metadata?: object;
}

/** A program on a device: what the SDKs call a provider. */
export class McpProgram {
  readonly redirectUrl: string;
  readonly clientMetadataUrl: string | undefined;
  readonly clientMetadata: object;
  /** Where it sends the browser. */
  address: URL | undefined;
  information: ClientInformation | undefined;
  kept: KeptTokens | undefined;
  #verifier = "";
  #discovered: unknown;

  constructor(options: ProgramOptions = {}) {
    const { clientMetadataUrl, redirectUrl = "http://localhost:51234/callback", metadata } =
      options;
    this.redirectUrl = redirectUrl;
    this.clientMetadataUrl = clientMetadataUrl;
    this.clientMetadata = {
      client_name: "Notes reader",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...metadata,
    };
  }
  state(): string {
    return "state-1";
  }
  clientInformation(): ClientInformation | undefined {
    return this.information;
  }
  saveClientInformation(information: ClientInformation): void {
    this.information = information;
  }
  tokens(): KeptTokens | undefined {
    return this.kept;
  }
  saveTokens(tokens: KeptTokens): void {
    this.kept = tokens;
  }
  redirectToAuthorization(address: URL): void {
    this.address = address;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  discoveryState(): unknown {
    return this.#discovered;
  }
  saveDiscoveryState(state: unknown): void {
    this.#discovered = state;
  }
}
