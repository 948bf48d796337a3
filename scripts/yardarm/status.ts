import type { processSchema } from '@yardarm/shared/contracts/process';
import type { z } from 'zod';
import { openApi } from './api.ts';
import { parseWords } from './parse-words.ts';

const usage = `Usage: yardarm status [--json]
  --json  prints the answer of GET /api/admin/instance-admin/status
Exit codes: 0 every replica is ready and no service is away; 1 not so, or the system does not answer; 2 wrong arguments.`;

export type Replica = z.output<typeof processSchema>;

export interface Status {
  services: { name: string; isAway: boolean; replicas: Replica[] }[];
}

export async function showStatus(words: string[]): Promise<number> {
  const { json: isJson } = parseWords(words, { json: { type: 'boolean' } }, usage);
  const status = await openApi().call<Status>('GET', '/api/admin/instance-admin/status');
  console.log(isJson ? JSON.stringify(status, null, 2) : statusText(status));
  return isHealthy(status) ? 0 : 1;
}

export function isHealthy({ services }: Status): boolean {
  return services.every(({ isAway, replicas }) => !isAway && replicas.every(({ isReady }) => isReady));
}

/** A line for each replica, with its problems and its gauges that are not 0 below. */
export function statusText({ services }: Status): string {
  const width = Math.max(...services.map(({ name }) => name.length));
  const lines = services.flatMap(({ name, isAway, replicas }) => {
    const label = name.padEnd(width);
    if (isAway) return [`${label}  away`];
    return replicas.flatMap((replica) => [
      `${label}  ${replica.isReady ? 'ready' : 'not ready'}  ${replica.version}  since ${replica.startedAt}  ${replica.instance}`,
      ...detailsOf(replica).map((detail) => `${' '.repeat(width)}    ${detail}`),
    ]);
  });
  return lines.join('\n');
}

function detailsOf({ parts, gauges }: Replica): string[] {
  const problems = Object.entries(parts).flatMap(([part, problem]) => {
    if (problem === null) return [];
    return [`${part}: ${typeof problem === 'string' ? problem : `degraded: ${problem.degraded}`}`];
  });
  const values = gauges
    .filter(({ value }) => value !== 0)
    .map(({ name, labels, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
    });
  return [...problems, ...values];
}
