import { readFileSync } from 'node:fs';

/** Where a process of `npm start` answers /ready and /metrics: the launcher chooses the port. Linux only. */
export function healthUrlOf(pid: number): string {
  const port = /(?:^|\0)HEALTH_PORT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
  return `http://127.0.0.1:${port}`;
}

/** The value of a counter without labels of a process. Throws when it has none. */
export async function counterOf(healthUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`${healthUrl} has no metric ${name}`);
  return Number(value);
}
