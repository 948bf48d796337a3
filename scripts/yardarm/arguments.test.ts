// Proves that wrong arguments are refused, and help is given, with the usage, before a system is asked. The e2e test of
// the command proves the exit codes.
import { expect, test } from 'vitest';
import { commands } from './commands.ts';

test.each([
  ['status', ['--all'], /^Unknown option '--all'.*\nUsage: yardarm status/],
  ['tail', ['flags'], /^flags is neither events nor signals\.\nUsage/],
  ['tail', ['events', '--endpoint', 'x'], /^--endpoint is not for events\.\nUsage/],
  ['tail', ['signals', '--after', '1'], /^--after is not for signals\.\nUsage/],
  ['tail', ['events', '--after', 'abc'], /^--after abc is not the id of an event\.\nUsage/],
  ['tail', ['events', '--after', '-1'], /^Option '--after' argument is ambiguous[\s\S]*\nUsage/],
  ['token', ['delete'], /^delete is not create\.\nUsage/],
  ['token', ['create'], /^--name is missing\.\nUsage/],
  ['token', ['create', '--name', 'x', '--type', 'root'], /^--type root is not one of client, frontend, admin\.\nUsage/],
  ['token', ['create', '--name', 'x', '--type', 'admin', '--project', 'a'], /^An admin token has no --environment/],
  ['token', ['create', '--name', 'x', '--expires', 'yesterday'], /^--expires yesterday is not a time in the future/],
  [
    'token',
    ['create', '--name', 'x', '--expires', '2026-02-30T00:00:00Z'],
    /^--expires .* is not a time in the future/,
  ],
  [
    'token',
    ['create', '--name', 'x', '--expires', '2020-01-01T00:00:00Z'],
    /^--expires .* is not a time in the future/,
  ],
  ['rotate-key', ['now'], /^now has no key; .*\nUsage/],
  ['rotate-key', ['accounts', 'now'], /^now is one argument too many\.\nUsage/],
])('%s %j is refused', async (name, words, expected) => {
  await expect(commands[name]!.run(words)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(expected),
  });
});

test.each([
  ['status', ['--help']],
  ['tail', ['--help']],
  ['tail', ['events', '--help']],
  ['token', ['create', '--help']],
  ['token', ['-h']],
  ['maintenance', ['on', '--help']],
  ['rotate-key', ['--help']],
])('%s %j shows the usage and does nothing', async (name, words) => {
  await expect(commands[name]!.run(words)).rejects.toMatchObject({
    name: 'HelpRequest',
    message: expect.stringMatching(new RegExp(`^Usage: yardarm ${name}`)),
  });
});
