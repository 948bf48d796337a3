import type { Bus } from '@yardarm/shared/bus';
import { verifyLog } from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import { contractRoutes } from '../../routing/contract-routes.ts';
import type { Route } from '../../routing/route.ts';
import { wholeNumber } from '../../routing/wire.ts';

const eventId = wholeNumber(1, 999_999_999_999_999);
const range = z
  .object({ from: eventId.optional(), to: eventId.optional() })
  .refine(({ from = 1, to = from }) => from <= to, { path: ['to'], message: 'should not be before from' });

export function eventRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Events' });
  return [admin.get('/api/admin/events/verify', 'verifyEvents', verifyLog, { query: range })];
}
