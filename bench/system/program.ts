import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { guard } from '../../scripts/servers/guard.ts';

/** A process that ends with the bench, also when the bench is killed. */
export interface Program {
  child: ChildProcess;
  hasEnded(): boolean;
  /** Sends SIGTERM, and SIGKILL after a timeout. */
  stop(): Promise<void>;
}

/** `npm start` stops within 15 s, the other programs sooner. */
const stopLimitMs = 20_000;

export function startProgram(file: string, options: SpawnOptions): Program {
  const child = spawn(process.execPath, [file], options);
  const watch = child.pid === undefined ? undefined : guard('end "$1" TERM', child.pid);
  child.once('exit', () => watch?.release());
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    hasEnded,
    async stop() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
