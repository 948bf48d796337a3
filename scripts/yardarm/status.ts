import { processSchema } from '@yardarm/shared/contracts/process';
import { z } from 'zod';
import { parseOptions } from '../command.ts';
import { openApi } from './api.ts';
import { printable, printableJson } from './printable.ts';

const usage = `Usage: yardarm status [--json]
  --json  prints the answer of GET /api/admin/instance-admin/status
Exit codes: 0 every replica is ready and no service is away; 1 not so, or the system does not answer; 2 wrong arguments.`;

export type Replica = z.output<typeof processSchema>;

const statusSchema = z.object({
  services: z.array(z.object({ name: z.string(), isAway: z.boolean(), replicas: z.array(processSchema) })).min(1),
});

export type Status = z.output<typeof statusSchema>;

export async function showStatus(words: string[]): Promise<number> {
  const { json: isJson } = parseOptions(words, { json: { type: 'boolean' } }, usage);
  const status = await openApi().call('GET', '/api/admin/instance-admin/status', statusSchema);
  console.log(isJson ? printableJson(status, 2) : statusText(status));
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
  return lines.map(printable).join('\n');
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
