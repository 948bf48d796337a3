export const sessionCookie = 'yardarm-session';

/**
 * Scripts cannot read the cookie (HttpOnly), and requests of other sites that change something do not carry it
 * (SameSite=Lax). After a login by HTTPS it is sent by HTTPS only.
 */
const attributes = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** The `set-cookie` header that begins a session. */
export function makeSessionCookie(token: string, expiresAt: string, isSecure: boolean): string {
  return `${sessionCookie}=${token}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes(isSecure)}`;
}

export function clearSessionCookie(isSecure: boolean): string {
  return `${sessionCookie}=; Expires=${new Date(0).toUTCString()}; ${attributes(isSecure)}`;
}

export function readSessionCookie(header: string | undefined): string | null {
  const prefix = `${sessionCookie}=`;
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length) || null;
}
