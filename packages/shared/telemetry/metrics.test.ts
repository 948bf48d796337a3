import { afterEach, expect, test, vi } from 'vitest';
import { onScrape, readGauges, ScrapedGauge, scrape } from './index.ts';

const rows = new ScrapedGauge({ name: 'yardarm_test_rows', help: 'rows' });
const states = new ScrapedGauge({ name: 'yardarm_test_states', help: 'states', labelNames: ['state'] });
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const read = (reader: () => Promise<void>, name = 'test') => stops.push(onScrape(name, reader));
const samples = async () => (await scrape()).split('\n').filter((line) => line.startsWith('yardarm_test_'));

test('a scrape has the values that the readers set, and none of the scrape before', async () => {
  let state = 'old';
  read(async () => {
    rows.set(3);
    states.set({ state }, 1);
  });
  expect(await samples()).toEqual(['yardarm_test_rows 3', 'yardarm_test_states{state="old"} 1']);
  state = 'new';
  expect(await samples()).toEqual(['yardarm_test_rows 3', 'yardarm_test_states{state="new"} 1']);
  stops.pop()?.();
  expect(await samples()).toEqual([]);
});

test('a gauge whose reader fails is absent, and the others are present', async () => {
  let isBroken = false;
  read(async () => {
    if (isBroken) throw new Error('the database is away');
    rows.set(3);
  });
  read(async () => states.set({ state: 'new' }, 1));
  expect(await samples()).toHaveLength(2);
  isBroken = true;
  expect(await samples()).toEqual(['yardarm_test_states{state="new"} 1']);
});

test('a reader that does not answer delays no other, and is not called again until it has answered', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  read(async () => {
    calls += 1;
    await promise;
    rows.set(3);
  });
  read(async () => states.set({ state: 'new' }, 1));
  expect(await samples()).toEqual(['yardarm_test_states{state="new"} 1']);
  expect(await samples()).toEqual(['yardarm_test_states{state="new"} 1']);
  expect(calls).toBe(1);
  resolve();
  await expect.poll(samples).toEqual(['yardarm_test_rows 3', 'yardarm_test_states{state="new"} 1']);
});

test('concurrent scrapes share one reading', async () => {
  let calls = 0;
  read(async () => rows.set(++calls));
  expect(await Promise.all([samples(), samples()])).toEqual([['yardarm_test_rows 1'], ['yardarm_test_rows 1']]);
});

test('the gauges can be read without the text, and lack those whose reader fails', async () => {
  read(async () => states.set({ state: 'new' }, 2));
  read(async () => {
    throw new Error('the database is away');
  });
  const ours = (await readGauges()).filter(({ name }) => name.startsWith('yardarm_test_'));
  expect(ours).toEqual([{ name: 'yardarm_test_states', labels: { state: 'new' }, value: 2 }]);
});

test('the age of a reader that fails rises, and that of one that succeeds is near 0', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    read(async () => rows.set(3), 'working');
    read(async () => Promise.reject(new Error('the database is away')), 'failing');
    vi.advanceTimersByTime(90_000);
    const ages = (await scrape()).split('\n').filter((line) => /_age_seconds\{reader="(work|fail)ing"/.test(line));
    expect(ages.sort()).toEqual([
      'yardarm_scrape_age_seconds{reader="failing"} 90',
      'yardarm_scrape_age_seconds{reader="working"} 0',
    ]);
    for (const stop of stops.splice(0)) stop();
    expect(await scrape()).not.toMatch(/reader="(work|fail)ing"/);
  } finally {
    vi.useRealTimers();
  }
});
