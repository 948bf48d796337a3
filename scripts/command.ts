// What the operator's commands have in common: their arguments, their help and how they end.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { ConfigError } from '@yardarm/shared/config';

/** Wrong arguments. The message has the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The arguments ask for the usage, which is the message. */
export class HelpRequest extends Error {
  override readonly name = 'HelpRequest';
}

/** Throws HelpRequest when `--help` or `-h` is among the arguments of a command. */
export function helpIfAsked(words: readonly string[], usage: string): void {
  if (words.includes('--help') || words.includes('-h')) throw new HelpRequest(usage);
}

/** The options among the arguments of a command. Throws UsageError for what is no option, and HelpRequest. */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
  usage: string,
) {
  helpIfAsked(words, usage);
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}

/**
 * Prints what ended a command, and sets the exit code: 0 for help, 2 for wrong arguments or settings, else 1. The
 * message of an expected error is enough for an operator. Any other error is a bug, and its stack says where.
 */
export function endCommand(command: string, error: unknown, isExpected = false): void {
  if (error instanceof HelpRequest) {
    console.log(error.message);
    return;
  }
  const isWrong = error instanceof ConfigError || error instanceof UsageError;
  console.error(isWrong || isExpected ? `${command}: ${(error as Error).message}` : error);
  process.exitCode = isWrong ? 2 : 1;
}

/** No such table, or no permission for it: a login has access to the schema of its own service only. */
export function isOfOtherLogin(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '42P01' || code === '42501';
}
