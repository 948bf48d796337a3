import createClient from 'openapi-fetch';
import { loginNeeded, whenLoggedIn } from './login-needed.ts';
import { Problem, problemOf, problemOfFailure } from './problem.ts';
import type { components, paths } from './schema.d.ts';

/** The path of the console and the API, such as `/flags`. The gateway fills it in. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="yardarm-base-path"]')?.content ?? '';

/** The whole address of the API, for snippets. */
export const publicUrl = `${location.origin}${basePath}`;

/** The gateway answers within 10 s. A lost connection gives no answer at all. */
const answerWithinMs = 60_000;

/** The operations of the API, with the session of the browser. Pass each call to `answer`. */
export const api = createClient<paths>({
  baseUrl: publicUrl,
  async fetch(request) {
    if (request.method === 'GET') await whenLoggedIn();
    return fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(answerWithinMs)]) });
  },
});

export type Schemas = components['schemas'];

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The body of a successful answer. Throws a Problem otherwise. A refused session leads to the login. */
export async function answer<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((failure) => {
    throw problemOfFailure(failure);
  });
  if (response.ok) return data as Data;
  const problem = problemOf(response, error);
  if (problem.code === 'AuthenticationRequired') loginNeeded.set(true);
  throw problem;
}

/** As `answer`, with the ETag of what is answered; null if a proxy removed it. Compression by a proxy makes it weak. */
export async function answerWithETag<Data>(call: Promise<Answer<Data>>): Promise<{ data: Data; etag: string | null }> {
  const data = await answer(call);
  const { response } = await call;
  return { data, etag: response.headers.get('etag')?.replace(/^W\//, '') ?? null };
}

/** As `answer`, for a write. A browser without a network sends no write. */
export async function write<Data>(call: () => Promise<Answer<Data>>): Promise<Data> {
  requireOnline();
  return answer(call());
}

/** Throws a Problem when the browser has no network. */
export function requireOnline(): void {
  if (!navigator.onLine) throw new Problem('offline', 'This browser is offline. Nothing was sent.');
}
