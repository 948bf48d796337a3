import type { Schemas } from '../../api/client.ts';

type Service = Schemas['serviceStatusSchema'];
type Process = Schemas['processSchema'];

/** Each version that a process has, once. */
export const versionsOf = (services: readonly Service[]): string[] =>
  [...new Set(services.flatMap(({ replicas }) => replicas.map(({ version }) => version)))].sort();

/** What is wrong with parts of a process, in words. */
export function troublesOf({ parts }: Pick<Process, 'parts'>): string[] {
  return Object.entries(parts).flatMap(([part, trouble]) => {
    if (trouble === null) return [];
    return [typeof trouble === 'string' ? `${part}: ${trouble}` : `${part} is degraded: ${trouble.degraded}`];
  });
}

/** As in `gateway snapshot age seconds (owner accounts)`. */
export function gaugeLabel({ name, labels }: Process['gauges'][number]): string {
  const words = name.replace(/^yardarm_/, '').replaceAll('_', ' ');
  const further = Object.entries(labels).map(([label, value]) => `${label} ${value}`);
  return further.length === 0 ? words : `${words} (${further.join(', ')})`;
}
