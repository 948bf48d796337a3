// The operator's commands under one name: `npm run yardarm -- status`, `npx yardarm status`, and in the image
// `docker run yardarm scripts/yardarm.ts status`.
//
// Exit codes: those of the command; 0 done, 1 failed, 2 the arguments or settings are wrong.

import { ConfigError } from '@yardarm/shared/config';
import { commands, usage } from './yardarm/commands.ts';
import { CommandError, UsageError } from './yardarm/errors.ts';

// As in `| head`: the reader has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const [name = 'help', ...words] = process.argv.slice(2);

try {
  if (['help', '--help', '-h'].includes(name)) console.log(usage);
  else {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new UsageError(`${name} is not a command.\n${usage}`);
    process.exitCode = (await command.run(words)) ?? process.exitCode ?? 0;
  }
} catch (error) {
  const isWrong = error instanceof ConfigError || error instanceof UsageError;
  // Any other error is a bug, and its stack says where.
  console.error(isWrong || error instanceof CommandError ? `yardarm: ${error.message}` : error);
  process.exitCode = isWrong ? 2 : 1;
}
