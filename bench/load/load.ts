// Each job of load runs in a new process, so that it is independent of the memory of the bench and of other jobs.
import { fork } from 'node:child_process';
import path from 'node:path';
import { machineEnvironment } from '../options.ts';
import type { Job, Outcome } from './jobs.ts';

export * from './jobs.ts';

/**
 * Runs a job in its own process, which `prepare` gets before the job begins. Throws when a request fails or gets an
 * unexpected answer.
 */
export function runLoad<J extends Job>(job: J, prepare?: (pid: number) => Promise<void>): Promise<Outcome<J>> {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, 'generator.ts'), {
      env: machineEnvironment(),
      serialization: 'advanced',
    });
    let answer: { outcome: Outcome<J> } | { error: string } = { error: 'the load generator ended without an outcome' };
    child.on('message', (message) => {
      answer = message as typeof answer;
    });
    child.on('error', reject);
    child.on('exit', () => ('error' in answer ? reject(new Error(answer.error)) : resolve(answer.outcome)));
    void (prepare?.(child.pid!) ?? Promise.resolve()).then(
      () => child.send(job),
      (error) => {
        answer = { error: (error as Error).message };
        child.kill();
      },
    );
  });
}
