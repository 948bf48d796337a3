/** The cookie that carries a session's token. */
export const sessionCookie = 'yardarm-session';

/**
 * Kept from scripts (HttpOnly) and from other sites' requests that change something (SameSite=Lax); over HTTPS, when it came so, alone.
 */
const attributes = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** The `set-cookie` header that begins a session. */
export function makeSessionCookie(token: string, expiresAt: string, isSecure: boolean): string {
  return `${sessionCookie}=${token}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes(isSecure)}`;
}

/** The `set-cookie` header that makes a browser forget it. */
export function clearSessionCookie(isSecure: boolean): string {
  return `${sessionCookie}=; Expires=${new Date(0).toUTCString()}; ${attributes(isSecure)}`;
}

/** The session's token in a `cookie` header, or null. */
export function readSessionCookie(header: string | undefined): string | null {
  const prefix = `${sessionCookie}=`;
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length) || null;
}
