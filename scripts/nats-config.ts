// Prints the users of NATS with their permissions, for the configuration of a server. --prefix=NAME is for a system
// that has YARDARM_PREFIX. `npm run contracts` writes this text without a prefix to deploy/nats-users.conf.
//
// Exit codes: 0 done; 2 the arguments are wrong.

import { parseArgs } from 'node:util';
import { natsUsersFile } from './servers/nats-users.ts';

try {
  const { prefix } = parseArgs({ options: { prefix: { type: 'string', default: '' } } }).values;
  process.stdout.write(natsUsersFile(prefix));
} catch (error) {
  console.error(`nats-config: ${(error as Error).message}`);
  process.exitCode = 2;
}
