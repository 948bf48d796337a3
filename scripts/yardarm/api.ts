import type { z } from 'zod';
import { UsageError } from '../command.ts';
import { CommandError, OutageError, RefusalError } from './errors.ts';
import { readApiOptions } from './options.ts';
import { printable } from './printable.ts';

/** Longer than a gateway takes for any answer to a command. */
const answerLimitMs = 30_000;

/**
 * Calls the admin API of a running system. Throws UsageError when it refuses what the arguments say, OutageError when
 * it does not answer or cannot now, and RefusalError or CommandError for any other answer but success.
 */
export interface Api {
  url: string;
  /** The body of the answer, which has to be of the schema. Another server may answer at YARDARM_URL. */
  call<Answer extends z.ZodType>(
    method: string,
    path: string,
    answer: Answer,
    body?: unknown,
  ): Promise<z.output<Answer>>;
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
      throw new OutageError(`${url} does not answer: is YARDARM_URL right, and does the gateway run?`, { cause });
    });
    if (response.ok) return response;
    const { status } = response;
    const problem = problemIn(await response.text().catch(() => ''));
    const message = `${url}${place} answered ${status}: ${printable(problem)}`;
    if (status === 400) throw new UsageError(message);
    throw status === 429 || status >= 500 ? new OutageError(message) : new RefusalError(message, status);
  };
  return {
    url,
    async call(method, place, answer, body) {
      const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const response = await send(place, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(answerLimitMs),
      });
      const isGateway = 'is YARDARM_URL that of a gateway?';
      const found: unknown = await response.json().catch((cause: Error) => {
        // Any other failure is a connection that broke.
        const Failure = cause instanceof SyntaxError ? CommandError : OutageError;
        throw new Failure(`${url}${place} did not answer with JSON: ${isGateway}`, { cause });
      });
      const { success, data, error } = answer.safeParse(found);
      if (success) return data;
      const property = error.issues[0]?.path.join('.') || 'body';
      throw new CommandError(`${url}${place} did not answer with the expected ${property}: ${isGateway}`);
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
