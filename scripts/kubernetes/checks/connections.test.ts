import { expect, test } from 'vitest';
import { nameOf, podOf, readRendered, type Workload } from '../objects.ts';
import { mostConnections } from './connections.ts';

test('connections are those of the pools, of leases, of a replica more during an upgrade, and of migrations', () => {
  const only = (...names: string[]) => readRendered('production').filter((object) => names.includes(nameOf(object)));
  expect(mostConnections(only('Deployment accounts'))).toBe((2 + 1) * (10 + 1));
  expect(mostConnections(only('Deployment flags', 'HorizontalPodAutoscaler flags'))).toBe((4 + 1) * (10 + 1));
  expect(mostConnections(only('StatefulSet events'))).toBe(2 * (10 + 1));
  expect(mostConnections(only('Job flags-migrate-0.1.0', 'StatefulSet gateway', 'StatefulSet nats'))).toBe(2);
  const [accounts] = only('Deployment accounts') as Workload[];
  podOf(accounts!).containers[0]!.env!.push({ name: 'DATABASE_MAX_CONNECTIONS', value: '4' });
  expect(mostConnections([accounts!])).toBe((2 + 1) * (4 + 1));
});
