import type { Page } from 'playwright-core';
import { openConsole } from '../browser/open-console.ts';
import { atMost, percentile } from '../measurement.ts';
import type { Row } from '../row.ts';
import { largeFlag, largestProject } from '../system/large-installation.ts';

/** Two of them are slower than the p99. */
const keys = 200;
const switches = 200;
const searches = 20;
const scrollSeconds = 20;

/** A list shows some rows beyond those that are seen. */
const rowsOnScreen = 8;

/** In the page (browser/in-page.js). */
declare const bench: { untilSwitched(element: unknown): Promise<number> };

interface Figures {
  keys: number[];
  switches: number[];
  searches: number[];
  longestTask: number;
}

export const consoleAtWork: Row = {
  number: '23',
  title: 'keys, switches, searches and scrolling in the console with 5,000 flags',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('large');
    const console = await openConsole(yardarm);
    const measured: Figures[] = [];
    try {
      for (let run = 0; run < bench.runs; run += 1) {
        const page = await console.open(`/projects/${largestProject}`);
        await page.getByRole('switch').first().waitFor();
        measured.push({
          switches: await pressSwitches(page, bench.amount(switches)),
          longestTask: await longestTaskOfScrolling(page, bench.seconds(scrollSeconds)),
          searches: await search(page, bench.amount(searches)),
          keys: await pressKeys(page, bench.amount(keys)),
        });
      }
    } finally {
      await console.close();
    }
    const runsOf = (figure: (run: Figures) => number) => ({ subject: measured.map(figure), baseline: [] });
    const p99 = { row: '23', unit: 'ms, p99' };
    return [
      atMost(
        50,
        runsOf((run) => percentile(run.keys, 99)),
        { ...p99, what: 'key -> painted' },
      ),
      atMost(
        50,
        runsOf((run) => percentile(run.switches, 99)),
        { ...p99, what: 'switch -> painted' },
      ),
      atMost(
        150,
        runsOf((run) => percentile(run.searches, 99)),
        { ...p99, what: 'last letter of a search -> found' },
      ),
      atMost(
        50,
        runsOf(({ longestTask }) => longestTask),
        {
          ...{ row: '23', unit: 'ms', what: 'longest task while scrolling', remark: 'tasks below 50 ms count as 0' },
        },
      ),
    ];
  },
};

async function pressSwitches(page: Page, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const control = page.getByRole('switch', { name: / in development$/ }).nth(n % rowsOnScreen);
    // Playwright does not call a function that it gets as a text.
    const time = control.evaluate((element) => bench.untilSwitched(element));
    await control.click();
    times.push(await time);
  }
  return times;
}

async function longestTaskOfScrolling(page: Page, seconds: number): Promise<number> {
  await page.mouse.move(720, 600);
  await page.evaluate('bench.tasks.length = 0');
  const until = Date.now() + seconds * 1_000;
  while (Date.now() < until) await page.mouse.wheel(0, 400);
  return page.evaluate<number>('Math.max(0, ...bench.tasks)');
}

async function search(page: Page, count: number): Promise<number[]> {
  const field = page.getByRole('searchbox', { name: 'Search' });
  const times: number[] = [];
  for (let n = 1; n <= count; n += 1) {
    const name = largeFlag(n);
    await field.fill('');
    await page.getByRole('switch').nth(rowsOnScreen).waitFor();
    await field.fill(name.slice(0, -1));
    const time = page.evaluate<number>(`bench.untilFound('${name}')`);
    await field.press('End');
    await page.keyboard.insertText(name.slice(-1));
    times.push(await time);
  }
  await field.fill('');
  return times;
}

async function pressKeys(page: Page, count: number): Promise<number[]> {
  await page.getByRole('searchbox', { name: 'Search' }).focus();
  await page.evaluate('bench.keys.length = 0');
  for (let n = 0; n < count; n += 1) await page.keyboard.press(n % 10 === 9 ? 'Backspace' : 'l', { delay: 20 });
  // The last one is painted after its frame.
  return page.evaluate<number[]>('new Promise((resolve) => setTimeout(() => resolve(bench.keys), 500))');
}
