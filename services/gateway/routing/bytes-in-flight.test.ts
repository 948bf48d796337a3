import { expect, test } from 'vitest';
import { BytesInFlight, SharedInFlight } from './bytes-in-flight.ts';

test('beyond the bound of all bodies the oldest large one gives way', () => {
  const bodies = new BytesInFlight(100_000);
  const gone: string[] = [];
  const add = (name: string) => bodies.add(() => gone.push(name));
  const [small, oldest, newest] = [add('small'), add('oldest'), add('newest')];
  bodies.grow(small, 1_000);
  bodies.grow(oldest, 50_000);
  bodies.grow(newest, 49_000);
  expect(gone).toEqual([]);
  bodies.grow(newest, 1_000);
  expect(gone).toEqual(['oldest']);
  expect(bodies.bytes).toBe(51_000);
});

test('a body that is kept counts, and others give way instead of it', () => {
  const bodies = new BytesInFlight(100_000);
  const gone: string[] = [];
  const add = (name: string) => bodies.add(() => gone.push(name));
  const [kept, growing] = [add('kept'), add('growing')];
  bodies.grow(kept, 90_000);
  bodies.keep(kept);
  bodies.grow(growing, 20_000);
  expect([gone, bodies.bytes]).toEqual([['growing'], 90_000]);
  bodies.remove(kept);
  expect(bodies.bytes).toBe(0);
});

test('a body that has ended counts no more', () => {
  const bodies = new BytesInFlight(100_000);
  const gone: string[] = [];
  const ended = bodies.add(() => gone.push('ended'));
  bodies.grow(ended, 90_000);
  bodies.remove(ended);
  bodies.remove(ended);
  const next = bodies.add(() => gone.push('next'));
  bodies.grow(next, 90_000);
  expect(gone).toEqual([]);
  expect(bodies.bytes).toBe(90_000);
});

test('a body that several answers have counts once, until the last of them is read', () => {
  const answers = new BytesInFlight(100_000);
  const shared = new SharedInFlight(answers);
  const body = Buffer.alloc(60_000);
  const [one, two] = [shared.hold(body, () => {}), shared.hold(body, () => {})];
  expect(answers.bytes).toBe(60_000);
  one();
  one();
  expect(answers.bytes).toBe(60_000);
  two();
  expect(answers.bytes).toBe(0);
});

test('a body that gives way ends all answers that still have it, and may be held again', () => {
  const answers = new BytesInFlight(100_000);
  const shared = new SharedInFlight(answers);
  const gone: string[] = [];
  const [old, recent] = [Buffer.alloc(60_000), Buffer.alloc(50_000)];
  const hold = (body: Buffer, name: string) => shared.hold(body, () => gone.push(name));
  const read = hold(old, 'read');
  const unread = hold(old, 'unread');
  read();
  hold(recent, 'recent');
  expect([gone, answers.bytes]).toEqual([['unread'], 50_000]);
  hold(old, 'again');
  expect([gone, answers.bytes]).toEqual([['unread', 'recent'], 60_000]);
  // It is closed when another answer has the body.
  unread();
  expect(answers.bytes).toBe(60_000);
});
