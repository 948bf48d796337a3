// Loaded before a service's main file (`node --import`). It watches the statements to Postgres and kills the process by
// SIGKILL at the crash point that the parent process has named. Without a crash point it changes nothing.
import pg from 'pg';
import { type CrashPoint, crashPoints, signalCrashPoints } from '../crash-points.ts';

let armed: CrashPoint | null = null;
/** The connections that have sent the armed point's statement in their current transaction. */
let marked = new WeakSet<object>();
/** The connections that have got the rows that the armed point needs, in their current transaction. */
let withRows = new WeakSet<object>();
/** The connections in an explicit transaction. */
const begun = new WeakSet<object>();

process.on('message', (name) => {
  // The question of kept-memory.ts.
  if (typeof name === 'object') return;
  marked = new WeakSet();
  withRows = new WeakSet();
  armed = [...crashPoints, ...signalCrashPoints].find((point) => point.name === name) ?? null;
});
// The listener must not keep the process alive.
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
  if (/^(begin|start transaction|rollback)/i.test(text)) {
    marked.delete(this);
    withRows.delete(this);
  }
  if (/^commit/i.test(text) && marked.has(this) && (!armed.needsRowsOf || withRows.has(this))) {
    if (armed.dies === 'before commit') die();
    const committed = query.apply(this, args) as Promise<unknown>;
    return committed.then(die);
  }
  if (armed.statement.test(text)) {
    if (armed.dies === 'before statement') die();
    if (!begun.has(this)) return dieAtSingleStatement(armed, query.apply(this, args) as Promise<unknown>);
    marked.add(this);
  }
  const answered = query.apply(this, args) as Promise<pg.QueryResult>;
  if (armed.needsRowsOf?.test(text)) {
    const note = ({ rows }: pg.QueryResult) => rows.length > 0 && withRows.add(this);
    answered.then(note, () => {});
  }
  return answered;
};

/** For a statement outside of a transaction. It has been sent, so the server executes it in any case. */
function dieAtSingleStatement({ dies }: CrashPoint, answered: Promise<unknown>): Promise<unknown> {
  if (dies === 'before commit') die();
  return answered.then(die);
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
