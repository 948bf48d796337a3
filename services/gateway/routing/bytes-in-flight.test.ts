import { expect, test } from 'vitest';
import { BytesInFlight } from './bytes-in-flight.ts';

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
