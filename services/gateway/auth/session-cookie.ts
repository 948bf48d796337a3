/**
 * The cookie of a session. Scripts cannot read it (HttpOnly), and requests of other sites that change something do not
 * carry it (SameSite=Lax). After a login by HTTPS it is sent by HTTPS only.
 *
 * Over HTTPS its name has the prefix `__Host-`: a browser then accepts it only from this host itself over HTTPS, so
 * neither a page of a sibling host nor an attacker in the network can plant another session. Such a cookie has the path
 * `/`. With a base path other applications have the same host, which should not get the session, and two systems
 * would replace each other's. So the cookie has that path, and the prefix `__Secure-`, which a sibling host can plant.
 */
export class SessionCookie {
  readonly #basePath: string;

  constructor(basePath = '') {
    this.#basePath = basePath;
  }

  name(isSecure: boolean): string {
    const prefix = this.#basePath === '' ? '__Host-' : '__Secure-';
    return isSecure ? `${prefix}yardarm-session` : 'yardarm-session';
  }

  /** The `set-cookie` header that begins a session. */
  make(token: string, expiresAt: string, isSecure: boolean): string {
    return `${this.name(isSecure)}=${token}; Expires=${new Date(expiresAt).toUTCString()}; ${this.#attributes(isSecure)}`;
  }

  /** The `set-cookie` header that makes a browser forget the session. */
  clear(isSecure: boolean): string {
    return this.make('', new Date(0).toISOString(), isSecure);
  }

  /** The token of the session in a `cookie` header. Over HTTPS only the cookie with the prefix counts. */
  read(header: string | undefined, isSecure: boolean): string | null {
    const prefix = `${this.name(isSecure)}=`;
    const pair = header
      ?.split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(prefix));
    return pair?.slice(prefix.length) || null;
  }

  #attributes(isSecure: boolean): string {
    return `Path=${this.#basePath || '/'}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }
}
