import type { Logger, LoggerOptions } from 'pino';

/**
 * An error that lasts, such as a refused login, makes the same line again and again. Ten of them in a minute show when
 * and how often it happens. A line that is written once a minute is never left out.
 */
const maxLines = 10;
const windowMs = 60_000;
/** More kinds of lines than the code has. Lines with changing texts do not fill the memory; they are all written. */
const maxKinds = 1_000;

/** pino's levels "warn" and "error". A fatal line is the last one of a process, and lower ones report no errors. */
const throttled = new Set([40, 50]);

interface Kind {
  level: 'warn' | 'error';
  line: string;
  reason: string | undefined;
  count: number;
}

/**
 * Leaves out warnings and errors that repeat: those with the same message and the same error, whatever their other
 * fields are. Each minute it reports how many it has left out. The line of the gateway about a request, which names its
 * id, is always written.
 */
export function throttleRepeated(): { hooks: NonNullable<LoggerOptions['hooks']>; reportTo(root: Logger): void } {
  let root: Logger | undefined;
  let kinds = new Map<string, Kind>();
  let isReporting = false;

  function report(): void {
    const counted = kinds;
    kinds = new Map();
    isReporting = true;
    for (const { level, line, reason, count } of counted.values()) {
      if (count > maxLines) root?.[level]({ line, reason, leftOut: count - maxLines }, 'repeated lines were left out');
    }
    isReporting = false;
  }

  function isLeftOut(args: readonly unknown[], level: number): boolean {
    if (isReporting || !throttled.has(level)) return false;
    const line = args.find((argument) => typeof argument === 'string') ?? '';
    const { err, requestId } = (args[0] ?? {}) as { err?: { message?: string }; requestId?: string };
    // A caller has this id from its answer, and finds what happened by it.
    if (requestId !== undefined) return false;
    const reason = err?.message;
    const key = `${level} ${line} ${reason}`;
    const kind = kinds.get(key) ?? { level: level === 40 ? 'warn' : 'error', line, reason, count: 0 };
    // A window begins with its first line. The timer does not keep a process alive that has nothing else to do.
    if (kinds.size === 0) setTimeout(report, windowMs).unref();
    if (kind.count === 0 && kinds.size < maxKinds) kinds.set(key, kind);
    kind.count += 1;
    return kind.count > maxLines;
  }

  return {
    hooks: {
      logMethod(args, method, level) {
        if (!isLeftOut(args, level)) method.apply(this, args);
      },
    },
    reportTo(logger) {
      root = logger;
    },
  };
}
