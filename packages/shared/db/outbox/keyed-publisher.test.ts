import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeyedPublisher } from './keyed-publisher.ts';
import type { OutboxRow } from './rows.ts';

interface Flight {
  row: OutboxRow;
  acknowledge(): Promise<void>;
  fail(): Promise<void>;
}

let flights: Flight[];
let publisher: KeyedPublisher;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  flights = [];
  publisher = new KeyedPublisher({
    publish: (row) =>
      new Promise((resolve, reject) => {
        const land = async (settle: () => void) => {
          flights = flights.filter((flight) => flight.row !== row);
          settle();
          await new Promise((done) => setImmediate(done));
        };
        flights.push({
          row,
          acknowledge: () => land(() => resolve(undefined)),
          fail: () => land(() => reject(new Error('no'))),
        });
      }),
    onChange: () => {},
    onFailure: () => {},
  });
});
afterEach(() => vi.useRealTimers());

function row(id: number, key: string): OutboxRow {
  const rest = { payload: '{}', traceparent: null, created_at: new Date(0), source_sequence: id };
  return { id, event_id: String(id), type: 'feature-created', ordering_key: key, ...rest };
}

const inFlight = () => flights.map((flight) => flight.row.id);
const done = () => publisher.done().map(({ id }) => id);
const read = (...rows: OutboxRow[]) => {
  publisher.beginRead();
  publisher.add(rows);
};

test('has one row per key in flight, and many keys at once', async () => {
  read(row(1, 'a'), row(2, 'a'), row(3, 'b'));
  expect(inFlight()).toEqual([1, 3]);
  await flights[0]!.acknowledge();
  expect(inFlight()).toEqual([3, 2]);
  expect(done()).toEqual([1]);
});

test('has at most 256 in flight', () => {
  read(...Array.from({ length: 300 }, (_, index) => row(index + 1, `key ${index}`)));
  expect(inFlight()).toHaveLength(256);
});

test('publishes what ends an import after all earlier rows, and delays no other row for it', async () => {
  const of = (id: number, key: string, type: string) => ({ ...row(id, key), type });
  read(
    ...[row(1, 'a'), row(2, 'a'), of(3, 'a', 'feature-import'), of(4, 'b', 'feature-import')],
    ...[of(5, 'tag', 'tag-import'), of(6, 'import', 'features-imported'), row(7, 'c')],
  );
  expect(inFlight()).toEqual([1, 7]);
  const acknowledge = (id: number) => flights.find((flight) => flight.row.id === id)!.acknowledge();
  await acknowledge(1);
  expect(inFlight()).toEqual([7, 2]);
  await acknowledge(2);
  expect(inFlight()).toEqual([7, 3, 4]);
  await acknowledge(4);
  expect(inFlight()).toEqual([7, 3]);
  await acknowledge(3);
  expect(inFlight()).toEqual([7, 5]);
  await acknowledge(5);
  expect(inFlight()).toEqual([7, 6]);
});

test('excludes a row from reads until it is marked', async () => {
  read(row(1, 'a'), row(2, 'a'));
  await flights[0]!.acknowledge();
  expect(publisher.beginRead().ids.sort()).toEqual([1, 2]);
  publisher.forget(publisher.done().slice());
  expect(publisher.beginRead().ids).toEqual([2]);
});

test('delays a key after a failure, longer each time, while other keys continue', async () => {
  read(row(1, 'a'), row(2, 'a'), row(3, 'b'));
  await flights[0]!.fail();
  expect(inFlight()).toEqual([3]);
  expect(publisher.beginRead()).toEqual({ ids: [3], keys: ['a'] });
  vi.advanceTimersByTime(101);
  expect(publisher.beginRead().keys).toEqual([]);
  publisher.add([row(1, 'a')]);
  await flights[1]!.fail();
  vi.advanceTimersByTime(150);
  expect(publisher.beginRead().keys).toEqual(['a']);
  vi.advanceTimersByTime(60);
  expect(publisher.beginRead().keys).toEqual([]);
});

test('publishes no later row of a key before one that failed while the later row was being read', async () => {
  read(row(1, 'a'));
  publisher.beginRead();
  await flights[0]!.fail();
  publisher.add([row(2, 'a'), row(3, 'b')]);
  expect(inFlight()).toEqual([3]);
});

test('publishes one row at a time, with pauses, after several failures in a row', async () => {
  read(row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'd'), row(5, 'd'));
  for (const _ of [1, 2, 3, 4]) await flights[0]!.fail();
  expect(publisher.freeCapacity()).toBe(0);
  vi.advanceTimersByTime(250);
  expect(publisher.freeCapacity()).toBe(1);
  read(row(1, 'a'));
  expect(publisher.freeCapacity()).toBe(0);
  await flights[0]!.acknowledge();
  // The outage is over, so no key is delayed any longer.
  expect(publisher.freeCapacity()).toBeGreaterThan(1);
  expect(publisher.beginRead().keys).toEqual([]);
});

test('when halted, publishes no more rows, waits for those in flight and keeps the acknowledged ones', async () => {
  read(row(1, 'a'), row(2, 'a'), row(3, 'b'));
  let isHalted = false;
  const halting = publisher.halt().then(() => (isHalted = true));
  await flights[0]!.acknowledge();
  expect(isHalted).toBe(false);
  await flights[0]!.fail();
  await halting;
  expect(inFlight()).toEqual([]);
  expect(done()).toEqual([1]);
  expect(publisher.freeCapacity()).toBe(0);
  publisher.reset();
  expect(publisher.freeCapacity()).toBeGreaterThan(1);
});
