import type { Answer } from './differences.ts';
import { type ComparedRequest, fill, type Saved, valueAt } from './requests.ts';
import type { Login, System } from './system.ts';

/** The requests to one system, with the ids and tokens that its earlier answers gave. */
export class Session {
  readonly #system: System;
  readonly #login: Login;
  readonly #saved: Saved = {};
  #cookie = '';

  constructor(system: System, login: Login) {
    this.#system = system;
    this.#login = login;
  }

  /** Logs the first admin in. Until the person has a token, its requests carry the session's cookie. */
  async logIn(): Promise<void> {
    const response = await fetch(`${this.#system.url}/auth/simple/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: this.#login.password }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${this.#system.name} refused the login with ${response.status}`);
    this.#cookie = response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  async send({ method, path, body, as = 'admin', save = {} }: ComparedRequest): Promise<Answer> {
    const response = await fetch(this.#system.url + fill(path, this.#saved), {
      method,
      redirect: 'manual',
      headers: { ...this.#credentials(as), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(fill(body, this.#saved)) }),
    });
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: parse(await response.text()),
    };
    for (const [name, place] of Object.entries(save)) this.#saved[name] = valueAt(answer.body, place);
    return answer;
  }

  #credentials(sender: NonNullable<ComparedRequest['as']>): Record<string, string> {
    if (sender === 'nobody') return {};
    if (sender === 'admin') return { authorization: this.#login.adminToken };
    const token = this.#saved[sender];
    return token === undefined ? { cookie: this.#cookie } : { authorization: String(token) };
  }
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
