// Proves that a transaction commits all of its statements or none, whatever fails on the client side, and that no
// statement runs on the connection after its transaction has ended.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Database, isUniqueViolation, prepared, type SharedTables, sql, type Transaction } from './index.ts';
import { asOwner, createTestSchemas, type TestSchemas } from './testing/test-schemas.ts';

interface Tables extends SharedTables {
  notes: { name: string; note: unknown };
}

let schemas: TestSchemas;
/** One connection, so that anything a transaction leaves on it reaches the next transaction. */
let db: Database<Tables>;

beforeAll(async () => {
  schemas = await createTestSchemas(inject('postgresUrl'));
  await asOwner(
    schemas.ownerUrl,
    `set role db_test_flags_owner; create table flags.notes (name text constraint notes_pkey primary key, note jsonb)`,
  );
  db = schemas.connect('flags', { maxConnections: 1 }) as unknown as Database<Tables>;
});
afterAll(async () => {
  await db.close();
  await schemas.drop();
});

const count = async (name: string) => {
  const { rows } = await sql<{ count: number }>`select count(*) from notes where name = ${name}`.execute(db.kysely);
  return rows[0]!.count;
};

const circular: Record<string, unknown> = {};
circular.self = circular;
const badValues: [string, unknown][] = [
  ['a circular object', circular],
  ['a nested BigInt', { deep: [{ n: 1n }] }],
  ['a toJSON that throws', { toJSON: () => JSON.parse('no JSON') }],
];

type Send = (trx: Transaction<Tables>, name: string, note: unknown, isPrepared: boolean) => unknown;
const insert = (name: string, note: unknown, isPrepared = false) =>
  (isPrepared ? prepared('insert-note') : sql)`insert into notes values (${name}, ${note})`;
const kinds: [string, Send][] = [
  ['a query', (trx, name, note, isPrepared) => insert(name, note, isPrepared).execute(trx)],
  [
    'a query of the builder',
    (trx, name, note, isPrepared) => {
      const query = trx.insertInto('notes').values({ name, note });
      return isPrepared ? prepared('insert-built')`${query}`.execute(trx) : query.execute();
    },
  ],
  [
    'one of a batch',
    (trx, name, note, isPrepared) => trx.batch(sql`select 1`, insert(name, note, isPrepared), sql`select 2`),
  ],
  ['a pipelined statement', async (trx, name, note, isPrepared) => trx.pipeline(insert(name, note, isPrepared))],
  ['a deferred statement', async (trx, name, note, isPrepared) => trx.defer(insert(name, note, isPrepared))],
];
const cases = kinds.flatMap(([kind, send]) =>
  [0, 1, 2].flatMap((place) =>
    [true, false].map((isPrepared) => ({
      kind,
      send,
      place,
      isPrepared,
      how: isPrepared ? 'prepared' : 'not prepared',
    })),
  ),
);

test.each(cases)(
  '$kind in place $place, $how, with a value that cannot be encoded leads to a rollback, caught or not',
  async ({ send, place, isPrepared }) => {
    // The statement is prepared before its first bad value.
    await db.transaction(async (trx) => void (await send(trx, randomUUID(), 0, isPrepared)));
    for (const [, bad] of badValues) {
      for (const isCaught of [true, false]) {
        const name = randomUUID();
        let thrown: unknown;
        const failing = db.transaction(async (trx) => {
          for (const at of [0, 1, 2]) {
            const sent = send(trx, at === place ? `${name} bad` : name + at, at === place ? bad : at, isPrepared);
            const failed = await Promise.resolve(sent).catch((error: unknown) => {
              thrown ??= error;
              if (!isCaught) throw error;
            });
            expect(failed).not.toBeInstanceOf(Error);
          }
        });
        const reason = await failing.catch((error: unknown) => error);
        expect(thrown).toBeInstanceOf(Error);
        expect(reason).toBe(thrown);
        for (const at of [0, 1, 2]) expect(await count(name + at)).toBe(0);
        await db.transaction(async (trx) => void (await send(trx, name, { is: 'good' }, isPrepared)));
        expect(await count(name)).toBe(1);
      }
    }
  },
);

test('outside a transaction, a value that cannot be encoded leaves the prepared statement usable', async () => {
  await insert('outside', 0, true).execute(db.kysely);
  for (const [, bad] of badValues) {
    await expect(insert('outside bad', bad, true).execute(db.kysely)).rejects.toThrow();
  }
  await insert('outside good', 1, true).execute(db.kysely);
  expect(await count('outside good')).toBe(1);
});

test('after a caught error of Postgres the transaction can only roll back, with that error', async () => {
  await insert('existing', 0).execute(db.kysely);
  const refused = db.transaction(async (trx) => {
    await insert('before', 0).execute(trx);
    await insert('existing', 0)
      .execute(trx)
      .catch(() => {});
    await expect(sql`select 1`.execute(trx)).rejects.toSatisfy((error) => isUniqueViolation(error, 'notes_pkey'));
    expect(() => trx.defer(sql`select 1`)).toThrow('notes_pkey');
  });
  await expect(refused).rejects.toSatisfy((error) => isUniqueViolation(error, 'notes_pkey'));
  expect(await count('before')).toBe(0);
});

test('after a caught error in reading rows the transaction can only roll back', async () => {
  const refused = db.transaction(async (trx) => {
    await insert('unread', 0).execute(trx);
    await sql`select 9007199254740993::bigint as n`.execute(trx).catch(() => {});
  });
  await expect(refused).rejects.toThrow('9007199254740993 does not fit');
  expect(await count('unread')).toBe(0);
});

test.each([
  ['committed', (trx: Transaction<Tables>) => sql`select 1`.execute(trx)],
  ['rolled back', () => Promise.reject(new Error('no'))],
])(
  'every kind of statement is refused on a transaction that was %s while another runs on the connection',
  async (_, end) => {
    let finished: Transaction<Tables> | undefined;
    await db
      .transaction(async (trx) => {
        finished = trx;
        await end(trx);
      })
      .catch(() => {});
    await db.transaction(async (trx) => {
      await sql`select 1`.execute(trx);
      for (const [, send] of kinds) {
        await expect(async () => send(finished!, 'late', 0, false)).rejects.toThrow('the transaction has ended');
      }
    });
    expect(await count('late')).toBe(0);
  },
);
