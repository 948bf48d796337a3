import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { RotatingLog } from '../servers/log-file.ts';

// pino's level "warn". Lines below it are only in the log file.
const warn = 40;

/** The text that the terminal prints for a line of a service's log. Undefined for lines below warnings. */
export function shortForm(service: string, line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    if (entry.level === undefined || entry.level < warn) return undefined;
    const word = entry.level >= 50 ? 'error' : 'warning';
    const reason = entry.err?.message && entry.err.message !== entry.msg ? `: ${entry.err.message}` : '';
    return `${service} ${word}: ${entry.msg ?? ''}${reason}`;
  } catch {
    // A library printed this line. The file has it.
    return undefined;
  }
}

/** The message of the error in a line of a service's log. */
export function reasonOf(line: string): string | undefined {
  try {
    return (JSON.parse(line) as { err?: { message?: string } }).err?.message;
  } catch {
    return undefined;
  }
}

/** Writes the streams of a process to a log file, and passes the short form of each line to `say`. */
export function logOutput(service: string, file: string, streams: Readable[], say: (line: string) => void): void {
  const log = new RotatingLog(file);
  let open = streams.length;
  for (const stream of streams) {
    const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', (line) => {
      log.write(line);
      const short = shortForm(service, line);
      if (short) say(short);
    });
    lines.on('close', () => {
      open -= 1;
      if (open === 0) log.close();
    });
  }
}
