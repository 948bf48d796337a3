import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { guard } from '../../scripts/servers/guard.ts';

/** A process that ends when the bench does, however that ends. */
export interface Program {
  child: ChildProcess;
  hasEnded(): boolean;
  /** Asks it to end, and ends it when it has not within its time. */
  stop(): Promise<void>;
}

/** `npm start` promises 15 s, and what else runs here promises less. */
const stopLimitMs = 20_000;

/** Starts a Node program. */
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
