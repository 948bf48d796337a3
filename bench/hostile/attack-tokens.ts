// The process that guesses tokens. It gets its plan from the parent and reports once a second.
import { makeToken } from '@yardarm/shared/auth';
import { request } from 'undici';
import type { Report } from './attack.ts';

export interface GuessPlan {
  url: string;
  connections: number;
}

/** As many as one request may name. */
const named = 100;

const report: Report = { open: 0, opened: {} };

/** Its checksum is right, so that the gateway has to ask for it. */
const guess = () => makeToken('*:development.').token;

const requests: readonly ((url: string) => ReturnType<typeof request>)[] = [
  (url) => request(`${url}/api/client/features`, { headers: { authorization: guess() } }),
  (url) =>
    request(`${url}/edge/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tokens: Array.from({ length: named }, guess) }),
    }),
];

async function guessForever(url: string, number: number): Promise<never> {
  const kind = number % requests.length;
  for (;;) {
    const { statusCode, body } = await requests[kind]!(url);
    await body.dump();
    const name = `${kind === 0 ? 'guesses' : `guesses of ${named}`} with status ${statusCode}`;
    report.opened[name] = (report.opened[name] ?? 0) + 1;
  }
}

process.once('message', (message) => {
  const { url, connections } = message as GuessPlan;
  report.open = connections;
  for (let number = 0; number < connections; number += 1) void guessForever(url, number);
  setInterval(() => process.send!(report), 1_000);
});
// The parent has ended.
process.on('disconnect', () => process.exit());
