import type { GuardedClient, OutgoingAnswer, OutgoingRequest } from '@yardarm/shared/http';
import { OutgoingFailed, OutgoingRefused } from '@yardarm/shared/http';
import { shortened } from '../shortened.ts';
import type { SendResult } from './provider.ts';

export interface Call {
  /** Null for a success; else the reason, as the end of a sentence. */
  failure: string | null;
  status: number | null;
  errorCode: string | null;
  retryAfter: string | null;
  responseBody: string | null;
}

/** Some vendors answer 2xx and report a failure in the body. Returns the reported failure, or null. */
export type BodyFailure = (body: string) => string | null;

/** Sends one POST. Every failure of the request is a Call; an exception is a bug of ours. */
export async function post(
  client: GuardedClient,
  request: Omit<OutgoingRequest, 'method'>,
  bodyFailure: BodyFailure = () => null,
): Promise<Call> {
  try {
    const answer = await client.send({ ...request, method: 'POST' });
    return {
      failure: failureOf(answer, bodyFailure),
      status: answer.status,
      errorCode: null,
      retryAfter: answer.headers['retry-after'] ?? null,
      responseBody: answer.body,
    };
  } catch (error) {
    const noAnswer = { status: null, retryAfter: null, responseBody: null };
    if (error instanceof OutgoingRefused) {
      const failure = `was refused and not sent: ${error.message}.${adviceFor(error)}`;
      return { ...noAnswer, failure, errorCode: 'refused' };
    }
    if (error instanceof OutgoingFailed) {
      const reason = error.message === error.code ? '' : ` (${error.message})`;
      return { ...noAnswer, failure: `failed with status code: ${error.code}${reason}`, errorCode: error.code };
    }
    throw error;
  }
}

/** What an operator can do about a refused address, as a further sentence. */
export function adviceFor({ isPrivate }: OutgoingRefused): string {
  return isPrivate
    ? ' INTEGRATIONS_ALLOWED_PRIVATE lists the private addresses that may be called, such as 127.0.0.1; integrations reads it when it starts.'
    : '';
}

/** The result of a delivery that is one request. `what` begins the sentence: "Webhook request". */
export function publishedCall(what: string, call: Call, details: { url: string; body: string }): SendResult {
  const { failure, ...rest } = call;
  return {
    ...rest,
    state: failure === null ? 'success' : 'failed',
    stateDetails: `${what} ${failure ?? `was successful with status code: ${call.status}.`}`,
    details: { url: details.url, body: truncated(details.body) },
    next: failure === null ? 'done' : call.status === 410 ? 'disable' : 'retry',
    progress: null,
  };
}

/** A URL that is not secret; its query may still contain a key. */
export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** The path and the query of a sensitive URL are often its secret. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

function failureOf({ status, body }: OutgoingAnswer, bodyFailure: BodyFailure): string | null {
  if (status < 200 || status >= 300) return `failed with status code: ${status}`;
  const reported = bodyFailure(body);
  return reported === null ? null : `failed with status code: ${status} - ${reported}`;
}

/** People read outcomes, and an outcome travels with its event in one message, so a longer body is cut. */
const maxBodyBytes = 64 * 1024;

function truncated(body: string): string {
  return body.length > maxBodyBytes ? `${shortened(body, maxBodyBytes)}…` : body;
}
