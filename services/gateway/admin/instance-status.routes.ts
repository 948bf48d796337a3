import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { serviceNames } from '@yardarm/shared/contracts';
import { processSchema, processStatus } from '@yardarm/shared/contracts/process';
import { z } from 'zod';
import { type Route, route } from '../routing/route.ts';

/** Longer than a process reads its gauges, which is a second. */
const answerLimitMs = 1_500;

const serviceStatusSchema = z
  .object({
    name: z.enum(serviceNames),
    isAway: z.boolean(),
    replicas: z.array(processSchema),
  })
  .meta({ id: 'serviceStatusSchema' });

const instanceStatusSchema = z.object({ services: z.array(serviceStatusSchema) });

/** What the processes of this system say of themselves. */
export function instanceStatusRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/instance-admin/status',
      operationId: 'getInstanceStatus',
      answerName: 'instanceStatusSchema',
      summary:
        'The replicas of each service: versions, what does not work, waiting work; and the services that are away',
      tag: 'Instance Admin',
      audience: 'admin',
      permission: 'ADMIN',
      answer: { status: 200, schema: instanceStatusSchema },
      errors: ['unavailable'],
      async handle({ context }) {
        return {
          status: 200,
          body: { services: await Promise.all(serviceNames.map((name) => statusOf(bus, name, context))) },
        };
      },
    }),
  ];
}

async function statusOf(
  bus: Bus,
  name: (typeof serviceNames)[number],
  context: RequestContext,
): Promise<z.output<typeof serviceStatusSchema>> {
  const deadline = Math.min(context.deadline, Date.now() + answerLimitMs);
  const replicas = await bus.requestAll(processStatus[name], {}, { ...context, deadline });
  replicas.sort((a, b) => (a.instance < b.instance ? -1 : 1));
  return { name, isAway: replicas.length === 0, replicas };
}
