// Prints the users of NATS with their permissions, for the configuration of a server. `npm run contracts` writes this
// text without options to deploy/nats-users.conf.
//
//   --prefix=NAME      for a system that has YARDARM_PREFIX
//   --second           a second user for each service, such as flags-2 with FLAGS_NATS_PASSWORD_2: a password changes
//                      while services are connected as the other user (docs/operating.md)
//   --passwords=FILE   the server finds the passwords in this file at each reload, and not in its environment. The path
//                      is relative to the file of the users.
//
// Exit codes: 0 done; 2 the arguments are wrong.

import { parseArgs } from 'node:util';
import { natsUsersFile } from './servers/nats-users.ts';

try {
  const { prefix, second, passwords } = parseArgs({
    options: {
      prefix: { type: 'string', default: '' },
      second: { type: 'boolean', default: false },
      passwords: { type: 'string' },
    },
  }).values;
  const more = passwords === undefined ? {} : { passwordsFile: passwords };
  process.stdout.write(natsUsersFile(prefix, { hasSecondUsers: second, ...more }));
} catch (error) {
  console.error(`nats-config: ${(error as Error).message}`);
  process.exitCode = 2;
}
