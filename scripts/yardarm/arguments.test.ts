// Proves that wrong arguments are refused, with the usage, before a system is asked. The e2e test of the command proves
// the exit codes.
import { expect, test } from 'vitest';
import { commands } from './commands.ts';

test.each([
  ['status', ['--all'], /^Unknown option '--all'.*\nUsage: yardarm status/],
  ['tail', ['flags'], /^flags is neither events nor signals\.\nUsage/],
  ['tail', ['events', '--endpoint', 'x'], /^--endpoint is not for events\.\nUsage/],
  ['tail', ['signals', '--after', '1'], /^--after is not for signals\.\nUsage/],
  ['token', ['delete'], /^delete is not create\.\nUsage/],
  ['token', ['create'], /^--name is missing\.\nUsage/],
  ['token', ['create', '--name', 'x', '--type', 'root'], /^--type root is not one of client, frontend, admin\.\nUsage/],
  ['token', ['create', '--name', 'x', '--type', 'admin', '--project', 'a'], /^An admin token has no --environment/],
  ['rotate-key', ['now'], /^now has no key; .*\nUsage/],
  ['rotate-key', ['accounts', 'now'], /^now is one argument too many\.\nUsage/],
])('%s %j is refused', async (name, words, expected) => {
  await expect(commands[name]!.run(words)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(expected),
  });
});
