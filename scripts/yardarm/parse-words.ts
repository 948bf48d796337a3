import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from './errors.ts';

/** The options among the words of a command. Throws UsageError, with the usage, for words that are no options. */
export function parseWords<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}
