/**
 * The name of the cookie. Over HTTPS it has the prefix `__Host-`: a browser then accepts the cookie only from this host
 * itself over HTTPS, so neither a page of a sibling host nor an attacker in the network can plant another session.
 */
const nameOf = (isSecure: boolean) => (isSecure ? '__Host-yardarm-session' : 'yardarm-session');

/** The name of the session cookie that the documents show. */
export const documentedSessionCookie = nameOf(true);

/**
 * Scripts cannot read the cookie (HttpOnly), and requests of other sites that change something do not carry it
 * (SameSite=Lax). After a login by HTTPS it is sent by HTTPS only.
 */
const attributes = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** The `set-cookie` header that begins a session. */
export function makeSessionCookie(token: string, expiresAt: string, isSecure: boolean): string {
  return `${nameOf(isSecure)}=${token}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes(isSecure)}`;
}

/** The `set-cookie` header that makes a browser forget the session. */
export function clearSessionCookie(isSecure: boolean): string {
  return `${nameOf(isSecure)}=; Expires=${new Date(0).toUTCString()}; ${attributes(isSecure)}`;
}

/** The token of the session in a `cookie` header. Over HTTPS only the cookie with the prefix counts. */
export function readSessionCookie(header: string | undefined, isSecure: boolean): string | null {
  const prefix = `${nameOf(isSecure)}=`;
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length) || null;
}
