// The operator's commands under one name: `npm run yardarm -- status`, `npx yardarm status`, and in the image
// `docker run yardarm scripts/yardarm.ts status`.
//
// Exit codes: those of the command; 0 done, 1 failed, 2 the arguments or settings are wrong.

import { endCommand, UsageError } from './command.ts';
import { commands, usage } from './yardarm/commands.ts';
import { CommandError } from './yardarm/errors.ts';

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
  endCommand('yardarm', error, error instanceof CommandError);
}
