import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { openLog } from '../servers/log-file.ts';

// pino's number for "warn": what is below is for the log file alone.
const warn = 40;

/** What the terminal shows of a line in a service's log: warnings and errors in short, nothing of the rest. */
export function shortForm(service: string, line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    if (entry.level === undefined || entry.level < warn) return undefined;
    const word = entry.level >= 50 ? 'error' : 'warning';
    const reason = entry.err?.message && entry.err.message !== entry.msg ? `: ${entry.err.message}` : '';
    return `${service} ${word}: ${entry.msg ?? ''}${reason}`;
  } catch {
    // Not pino's: something printed by a library. It is in the file.
    return undefined;
  }
}

/**
 * Writes a process's streams to a log file line by line and gives each line's short form to `say`. The file is
 * closed when the streams have ended.
 */
export function keepOutput(service: string, file: string, streams: Readable[], say: (line: string) => void): void {
  const { fd } = openLog(file);
  let open = streams.length;
  for (const stream of streams) {
    const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', (line) => {
      writeSync(fd, `${line}\n`);
      const short = shortForm(service, line);
      if (short) say(short);
    });
    lines.on('close', () => {
      open -= 1;
      if (open === 0) closeSync(fd);
    });
  }
}
