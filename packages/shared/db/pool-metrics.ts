import type pg from 'pg';
import { Gauge, metrics } from '../telemetry/index.ts';

/** The open pools of this process. A database has two, one of them for leases. */
const pools = new Set<pg.Pool>();

const connections = new Gauge({
  name: 'yardarm_db_pool_connections',
  help: 'Connections of this process to its database, by state: idle, busy or allowed (the most there may be)',
  labelNames: ['state'],
  registers: [metrics],
  collect() {
    connections.set(
      { state: 'idle' },
      sumOf((pool) => pool.idleCount),
    );
    connections.set(
      { state: 'busy' },
      sumOf((pool) => pool.totalCount - pool.idleCount),
    );
    connections.set(
      { state: 'allowed' },
      sumOf((pool) => pool.options.max ?? 0),
    );
  },
});

const waiting = new Gauge({
  name: 'yardarm_db_pool_waiting',
  help: 'Statements and transactions of this process that wait for a connection to its database',
  registers: [metrics],
  collect() {
    waiting.set(sumOf((pool) => pool.waitingCount));
  },
});

function sumOf(count: (pool: pg.Pool) => number): number {
  return [...pools].reduce((sum, pool) => sum + count(pool), 0);
}

/** Counts the pool in the metrics. Returns the function that ends this. */
export function measurePool(pool: pg.Pool): () => void {
  pools.add(pool);
  return () => void pools.delete(pool);
}
