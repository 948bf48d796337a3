import { z } from 'zod';
import { request, type ServiceName, serviceNames } from './contract.ts';

/** A gauge that the process reads from its database or from NATS. The labels are those of its metric. */
const gaugeSchema = z.object({ name: z.string(), labels: z.record(z.string(), z.string()), value: z.number() });

/** A process of a service, as it sees itself. */
export const processSchema = z
  .object({
    /** Differs between the processes of a service, and after a restart. */
    instance: z.string(),
    version: z.string(),
    startedAt: z.iso.datetime(),
    isReady: z.boolean(),
    /** The parts of `/ready`: null, the reason why the process cannot serve, or why it serves only a part. */
    parts: z.record(z.string(), z.union([z.string(), z.object({ degraded: z.string() }), z.null()])),
    gauges: z.array(gaugeSchema),
  })
  .meta({
    id: 'processSchema',
    examples: [
      {
        instance: 'flags-5c8f-1a2b3c4d',
        version: '0.1.0',
        startedAt: '2026-11-26T08:00:00.000Z',
        isReady: true,
        parts: { database: null, bus: null },
        gauges: [{ name: 'yardarm_outbox_rows', labels: { service: 'flags', state: 'pending' }, value: 0 }],
      },
    ],
  });

const statusOf = (service: ServiceName) =>
  request({
    name: `${service}.process.status`,
    writes: false,
    summary: 'How this replica is: its version, its parts and its gauges',
    input: z.object({}),
    output: processSchema,
    permission: 'ADMIN',
    ofEachReplica: true,
  });

/** The question to the processes of each service. */
export const processStatus = Object.fromEntries(serviceNames.map((name) => [name, statusOf(name)])) as Record<
  ServiceName,
  ReturnType<typeof statusOf>
>;
