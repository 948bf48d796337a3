import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { makeToken } from '@yardarm/shared/auth';
import { Agent, request } from 'undici';
import type { HostileRequest, Report, RequestsPlan } from './plan.ts';

/** After a failed connection. A client without it would only use up the processor. */
const pauseMs = 1_000;

/** Sends the requests until the process ends. */
export function sendRequests(plan: RequestsPlan, report: Report): void {
  const { url, connections, pipelining = 1, requests } = plan;
  report.open = connections;
  const dispatcher = new Agent({ connections, pipelining });
  for (let index = 0; index < connections * pipelining; index += 1) void sendForever(index);

  async function sendForever(first: number): Promise<never> {
    for (let n = first; ; n += 1) {
      const outcome = await send(requests[n % requests.length]!).catch(async (error: Error) => {
        await sleep(pauseMs);
        return `without an answer (${error.message})`;
      });
      report.counts[outcome] = (report.counts[outcome] ?? 0) + 1;
    }
  }

  async function send({ method, path, headers, body, isCompressed }: HostileRequest): Promise<string> {
    const { statusCode, body: answer } = await request(`${url}${fill(path)}`, {
      ...{ dispatcher, method, headers: mapValues(headers, fill) },
      ...(body !== undefined && { body: isCompressed ? compressed(body) : fill(body) }),
    });
    await answer.dump({ limit: Number.POSITIVE_INFINITY });
    return `answers with status ${statusCode}`;
  }
}

const compressedBodies = new Map<string, Buffer>();

/** Made once: a compressed body is large, and the attack should cost the gateway more than the attacker. */
function compressed(body: string): Buffer {
  const known = compressedBodies.get(body) ?? gzipSync(fill(body));
  compressedBodies.set(body, known);
  return known;
}

const made: Record<string, (length: number) => string> = {
  id: () => randomUUID().replaceAll('-', ''),
  // Its checksum is right, so that the gateway has to ask for it.
  token: () => makeToken('*:development.').token,
  ab: randomLetters,
};

function fill(text: string): string {
  return text.replaceAll(/\[<(\w+)(?: (\d+))?>\]/g, (_, kind, length) => made[kind]!(Number(length)));
}

/** For patterns of these letters, almost every letter of a random text leads to a state that they have not met yet. */
function randomLetters(length: number): string {
  return Array.from({ length }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('');
}

function mapValues<Value>(record: Record<string, Value>, map: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
