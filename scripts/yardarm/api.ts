import { CommandError } from './errors.ts';
import { readApiOptions } from './options.ts';

/** Longer than a gateway takes for any answer to a command. */
const answerLimitMs = 30_000;

/** Calls the admin API of a running system. Throws CommandError for any answer but success. */
export interface Api {
  url: string;
  /** The parsed body of the answer. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The answer while it is being received. */
  open(path: string, options: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response>;
}

/** Throws ConfigError without an admin token. */
export function openApi(): Api {
  const { url, adminToken: authorization } = readApiOptions();
  const send = async (place: string, options: RequestInit): Promise<Response> => {
    // A gateway never redirects its API: another server answers there, which should not get the token.
    const response = await fetch(url + place, { ...options, redirect: 'manual' }).catch((cause: Error) => {
      if (options.signal?.aborted && cause.name !== 'TimeoutError') throw cause;
      throw new CommandError(`${url} does not answer: is YARDARM_URL right, and does the gateway run?`, { cause });
    });
    if (response.ok) return response;
    throw new CommandError(`${url}${place} answered ${response.status}: ${problemIn(await response.text())}`);
  };
  return {
    url,
    async call<T>(method: string, place: string, body?: unknown) {
      const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const response = await send(place, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(answerLimitMs),
      });
      return (await response.json().catch((cause: Error) => {
        throw new CommandError(`${url}${place} did not answer with JSON: is YARDARM_URL that of a gateway?`, { cause });
      })) as T;
    },
    open: (place, { headers, signal }) =>
      send(place, { headers: { authorization, ...headers }, ...(signal && { signal }) }),
  };
}

/** The sentence of an error body; another body as it is. */
function problemIn(text: string): string {
  try {
    const { details, message } = JSON.parse(text) as { details?: { message?: string }[]; message?: string };
    return details?.[0]?.message ?? message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
