// Maintenance mode refuses what writes. So each contract says whether it does, and what goes on is listed here by hand.
import { expect, test } from 'vitest';
import { allRequests } from './all.ts';

/** The first words of the verbs of requests that change nothing. */
const readVerbs = new Set(
  (
    'access check count describe evaluate export fetch find get head list me overview profile read resolve revisions ' +
    'search status summarize test validate verify'
  ).split(' '),
);

const namesWith = (writes: unknown) =>
  allRequests.filter((contract) => contract.writes === writes).map(({ name }) => name);

test('every contract says whether it writes', () => {
  const silent = allRequests.filter(({ writes }) => ![true, false, 'in-maintenance'].includes(writes));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('a contract that does not write has the verb of a read, and one that writes has not', () => {
  const isRead = (name: string) => readVerbs.has(/([a-z]+)[a-z-]*$/.exec(name)![1]!);
  expect(namesWith(false).filter((name) => !isRead(name))).toEqual([]);
  // The public product's description of an application makes it.
  expect(namesWith(true).filter(isRead)).toEqual(['flags.application.describe']);
});

test('only these writes go on in maintenance mode', () => {
  expect(namesWith('in-maintenance').sort()).toEqual([
    'accounts.access.remove-of-deleted',
    'accounts.maintenance.set',
    'accounts.outbox.publish-pending',
    'accounts.password.change-own',
    'accounts.password.reset',
    'accounts.session.begin',
    'accounts.session.end',
    'accounts.token.report-seen',
    'flags.import.discard-parts',
    'flags.import.store-part',
    'flags.outbox.publish-pending',
    'flags.usage.report',
    'integrations.outbox.publish-pending',
    'signals.key.claim',
    'signals.lease.take',
    'signals.outbox.publish-pending',
  ]);
});
