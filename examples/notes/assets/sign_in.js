// What all ways to sign in share.

/**
 * Goes on to the second factor, if the first one was right and the account has one.
 *
 * @param {import("./messages.js").Refusal} refusal
 * @param {string} next Where to go on afterwards.
 * @returns {boolean} Whether it does.
 */
export function askForSecondFactor({ code }, next) {
  if (code !== "mfa_required") return false;
  location.assign(`/second-factor?${new URLSearchParams({ next })}`);
  return true;
}

const ADDRESS = "sign-in-address";

/** Keeps an address for the page where its code is entered, in this tab. */
export function keepAddress(address) {
  sessionStorage.setItem(ADDRESS, address);
}

/** The address that was kept. */
export function keptAddress() {
  return sessionStorage.getItem(ADDRESS) ?? "";
}
