/**
 * Options that presets share.
 *
 * @module
 */

/** Options of most presets. */
export interface PresetOptions {
  /** Client id, as the provider shows it. */
  readonly clientId: string;
  /** Client secret. */
  readonly clientSecret: string;
  /** Requested scopes. @default what a sign-in needs */
  readonly scope?: readonly string[] | undefined;
  /** Further parameters of the authorization request, such as Google's `access_type`. @default none */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}
