import { expect, test, vi } from 'vitest';
import { waitMs } from './wait-ms.ts';

test('a wait that is over leaves no listener', async () => {
  const { signal } = new AbortController();
  const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
  await waitMs(0, signal);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener));
  expect(added).toHaveBeenCalledOnce();
});

test('a wait ends when the signal is aborted', async () => {
  const ended = new AbortController();
  const waited = waitMs(60_000, ended.signal);
  ended.abort();
  await waited;
});
