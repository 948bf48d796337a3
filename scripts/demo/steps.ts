import { setTimeout as pause } from 'node:timers/promises';
import type { DemoOptions } from './options.ts';

/** Each step needs milliseconds. Half a minute is enough on any machine. */
const stepLimitMs = 30_000;

/** Calls the API of the running system at `url`. Throws for any answer but success. */
export function callerOf(url: string, token: string) {
  return async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new Error(`${url} does not answer: is npm start running?`, { cause });
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** Throws unless the system accepts both tokens. Those of another system are refused as unknown. */
export async function requireTokens({ url, adminToken, sdkToken }: DemoOptions): Promise<void> {
  const places = [
    { path: '/api/admin/projects', kind: 'an admin token', ...adminToken },
    { path: '/api/client/features', kind: 'a client token', ...sdkToken },
  ];
  for (const { path, kind, text, source } of places) {
    const { status } = await fetch(url + path, { headers: { authorization: text } }).catch((cause: unknown) => {
      throw new Error(`${url} does not answer: is npm start running?`, { cause });
    });
    if (status !== 401 && status !== 403) continue;
    throw new Error(
      `the token in ${source} is not ${kind} of the system at ${url}: give the URL in YARDARM_URL and tokens of that ` +
        'system in YARDARM_ADMIN_TOKEN and YARDARM_SDK_TOKEN, or PORT and YARDARM_DATA_DIR as npm start has them',
    );
  }
}

/** Waits until `check` returns something, and returns it. */
export async function until<T>(condition: string, check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + stepLimitMs;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > end) throw new Error(`timeout after ${stepLimitMs / 1000} s: ${condition}`);
    await pause(20);
  }
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
