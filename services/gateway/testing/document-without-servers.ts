import { connectInBackground } from '@yardarm/shared/bus';
import { createLogger } from '@yardarm/shared/log';
import { openApiDocument } from '../pages/openapi.ts';
import { startSnapshots } from '../sdk/snapshots/snapshots.ts';
import { routeTables } from './route-tables.ts';

/** The OpenAPI document with the default settings, for programs that make files of it. It needs no NATS. */
export async function documentWithoutServers(): Promise<object> {
  const log = createLogger({ service: 'openapi', level: 'silent' });
  const never = () => new Promise<never>(() => {});
  const bus = connectInBackground(never, { url: 'nats://unused', name: 'gateway', prefix: '', log });
  const snapshots = startSnapshots(bus, log);
  try {
    return await openApiDocument(Object.values(routeTables(bus, snapshots, log)).flat());
  } finally {
    snapshots.stop();
    await bus.drain();
  }
}
