// Loaded before a service's main (`node --import`): watches the statements that go to Postgres and, when the parent process has named a
// crash point, ends the process there by SIGKILL, as a machine that loses power would. Until then it changes nothing.
import pg from 'pg';
import { type CrashPoint, crashPoints } from '../crash-points.ts';

let armed: CrashPoint | null = null;
/** The connections in whose transaction the armed point's statement has been sent. */
let marked = new WeakSet<object>();

process.on('message', (name: string) => {
  marked = new WeakSet();
  armed = crashPoints.find((point) => point.name === name) ?? null;
});
// Listening alone would keep a process alive that has nothing left to do.
process.channel?.unref();

type Query = (this: object, ...args: unknown[]) => unknown;
const client = pg.Client.prototype as unknown as { query: Query };
const query = client.query;

client.query = function watched(...args) {
  const [statement] = args;
  const text = typeof statement === 'string' ? statement : (statement as { text?: string } | null)?.text;
  if (armed === null || text === undefined) return query.apply(this, args);
  if (/^(begin|start transaction|rollback)/i.test(text)) marked.delete(this);
  if (/^commit/i.test(text) && marked.has(this)) {
    if (armed.dies === 'before commit') die();
    const committed = query.apply(this, args) as Promise<unknown>;
    return committed.then(die);
  }
  if (armed.statement.test(text)) {
    if (armed.dies === 'before statement') die();
    marked.add(this);
  }
  return query.apply(this, args);
};

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
