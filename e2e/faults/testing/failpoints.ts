// Loaded before a service's main (`node --import`): watches the statements that go to Postgres and, when the parent process has named a
// crash point, ends the process there by SIGKILL, as a machine that loses power would. Until then it changes nothing.
import pg from 'pg';
import { type CrashPoint, crashPoints } from '../crash-points.ts';

let armed: CrashPoint | null = null;
/** The connections in whose transaction the armed point's statement has been sent. */
let marked = new WeakSet<object>();
/** The connections that are in a transaction of several statements. */
const begun = new WeakSet<object>();

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
  if (text === undefined) return query.apply(this, args);
  if (/^(begin|start transaction)/i.test(text)) begun.add(this);
  if (/^(commit|rollback)/i.test(text)) begun.delete(this);
  if (armed === null) return query.apply(this, args);
  if (/^(begin|start transaction|rollback)/i.test(text)) marked.delete(this);
  if (/^commit/i.test(text) && marked.has(this)) {
    if (armed.dies === 'before commit') die();
    const committed = query.apply(this, args) as Promise<unknown>;
    return committed.then(die);
  }
  if (armed.statement.test(text)) {
    if (armed.dies === 'before statement') die();
    if (!begun.has(this)) return dieAlone(armed, query.apply(this, args) as Promise<unknown>);
    marked.add(this);
  }
  return query.apply(this, args);
};

/** Of a statement that is its own transaction, which has been sent: the server carries it out in any case. */
function dieAlone({ dies }: CrashPoint, answered: Promise<unknown>): Promise<unknown> {
  if (dies === 'before commit') die();
  return answered.then(die);
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
