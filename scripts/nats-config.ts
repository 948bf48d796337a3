// Prints the users of NATS with their permissions, for the configuration of a server. `npm run contracts` writes this
// text without options to deploy/nats-users.conf.
//
// Exit codes: 0 done; 2 the arguments are wrong.

import { AppError } from '@yardarm/shared/errors';
import { endCommand, parseOptions, UsageError } from './command.ts';
import { natsUsersFile } from './servers/nats-users.ts';

const usage = `Usage: npm run nats-config -- [--prefix=<name>] [--second] [--passwords=<file>]
  --prefix     for a system that has YARDARM_PREFIX
  --second     a second user for each service, such as flags-2 with FLAGS_NATS_PASSWORD_2: a password changes while services
               are connected as the other user (docs/operating.md)
  --passwords  the server finds the passwords in this file at each reload, and not in its environment. The path is relative
               to the file of the users`;

const options = {
  prefix: { type: 'string', default: '' },
  second: { type: 'boolean', default: false },
  passwords: { type: 'string' },
} as const;

try {
  const { prefix, second, passwords } = parseOptions(process.argv.slice(2), options, usage);
  const more = passwords === undefined ? {} : { passwordsFile: passwords };
  process.stdout.write(natsUsersFile(prefix, { hasSecondUsers: second, ...more }));
} catch (error) {
  // Of a wrong prefix.
  endCommand('nats-config', error instanceof AppError ? new UsageError(`${error.message}\n${usage}`) : error);
}
