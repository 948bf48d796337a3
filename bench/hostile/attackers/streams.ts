import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Report, StreamsPlan } from './plan.ts';

/** As providers wait before they try again. */
const pauseMs = 1_000;

/**
 * Opens so many streams as the gateway allows, again and again: undici ends a body that it dumps after 128 kB, which is
 * less than the first event of 1,000 flags.
 */
export function holdStreams({ url, connections, paths, headers }: StreamsPlan, report: Report): void {
  const dispatcher = new Agent({ connections, bodyTimeout: 0 });
  const count = (outcome: string) => {
    report.counts[outcome] = (report.counts[outcome] ?? 0) + 1;
  };
  for (let index = 0; index < connections; index += 1) void openForever(paths[index % paths.length]!);

  async function openForever(path: string): Promise<never> {
    for (;;) {
      try {
        const { statusCode, body } = await request(`${url}${path}`, { dispatcher, headers });
        count(`answers with status ${statusCode}`);
        report.open += 1;
        await body.dump().finally(() => {
          report.open -= 1;
        });
      } catch (error) {
        count(`without an answer (${(error as Error).message})`);
      }
      await sleep(pauseMs);
    }
  }
}
