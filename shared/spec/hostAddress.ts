/** What ssh is asked for: a host of ~/.ssh/config or an address. Never an option, never two words. */
export const hostAddress = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,252}$/;
