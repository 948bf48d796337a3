// Proves that a change of a flag, the record of its event, its delivery to a webhook and its way to a stream send
// prepared statements only.
// The services run in this process, so the test sees what they send.
import { eventually, openEventStream, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const query = vi.spyOn(pg.Client.prototype, 'query');
let system: TestSystem;
let receiver: TestReceiver;

beforeAll(async () => {
  [system, receiver] = await Promise.all([startSystem(), startReceiver()]);
});

afterAll(async () => {
  query.mockRestore();
  await system?.stop();
  await receiver?.close();
});

interface Sent {
  client: pg.Client;
  /** The name of a prepared statement, else the text. */
  statement: string;
}

const sent = (): Sent[] =>
  query.mock.calls.map(([config], index) => {
    const { name, text } = config as unknown as pg.QueryConfig;
    return { client: query.mock.contexts[index] as pg.Client, statement: name ?? text ?? String(config) };
  });

/** The last transaction that sent this statement, without `begin` and `commit`, and its connection. */
function transactionWith(statement: string): { client: pg.Client; statements: string[] } {
  const { client } = sent().findLast((each) => each.statement === statement)!;
  const own = sent().flatMap((each) => (each.client === client ? [each.statement] : []));
  const at = own.lastIndexOf(statement);
  const [begin, commit] = [own.lastIndexOf('begin', at), own.indexOf('commit', at)];
  expect(Math.min(begin, commit)).toBeGreaterThanOrEqual(0);
  return { client, statements: own.slice(begin + 1, commit) };
}

test('a patched flag reaches a webhook and an event stream by prepared statements only', async () => {
  const stream = await openEventStream(`${system.url}/api/admin/events/stream`, { authorization: system.adminToken });
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'patched' } });
  await system.call('POST', '/api/admin/addons', {
    body: {
      ...{ provider: 'webhook', description: 'prepared', enabled: true, parameters: { url: receiver.url } },
      ...{ events: ['feature-metadata-updated'], projects: [], environments: [] },
    },
  });
  const answer = await system.call('PATCH', '/api/admin/projects/default/features/patched', {
    body: [{ op: 'replace', path: '/description', value: 'new' }],
  });
  expect(answer.status).toBe(200);
  await eventually(() => expect(receiver.received).toHaveLength(1));
  await eventually(() => expect(JSON.stringify(stream.events)).toContain('feature-metadata-updated'));
  stream.close();
  await system.processAll();

  const expected = {
    'raise-patched-revisions': [
      // The second one because the description gets longer.
      ...['lock-free-features', 'find-flag-places', 'update-features', 'record-authors', 'find-features'],
      ...['append-events', 'raise-patched-revisions'],
    ],
    'write-batch': [
      ...['lock-recorder-lease', 'lock-recorder-position', 'insert-recorded-ids', 'find-source-numbers'],
      'write-batch',
    ],
    'insert-deliveries': [
      ...['lock-intake', 'find-enabled-integrations', 'insert-handled-events', 'insert-deliveries'],
      'store-intake-position',
    ],
    'settle-attempts': ['lock-integration', 'settle-attempts', 'claim-due-deliveries'],
  };
  for (const [statement, names] of Object.entries(expected)) {
    const { client, statements } = transactionWith(statement);
    expect(statements).toEqual(names);
    const { rows } = await client.query<{ name: string }>('select name from pg_prepared_statements');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  }
  const single = ['find-unpublished', 'mark-published', 'find-token', 'find-log-ends', 'read-log'];
  expect(sent().map(({ statement }) => statement)).toEqual(expect.arrayContaining(single));
});
