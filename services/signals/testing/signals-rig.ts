import { randomBytes, randomUUID } from 'node:crypto';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor, RequestContract } from '@yardarm/shared/contracts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import * as contracts from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { inject } from 'vitest';
import type { z } from 'zod';
import { loadSignalsConfig } from '../config.ts';
import { startSignals } from '../service.ts';

export const admin: Actor = { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] };

/** A running signals service with its own database and prefix, a bus client, and access to its tables and log. */
export interface SignalsRig {
  bus: Bus;
  database: TestDatabase;
  prefix: string;
  service: RunningService;
  /** Every line that the service has logged, at trace level. */
  logged: string[];
  /** Another replica of the service, or one with other settings. */
  start(settings?: Record<string, string>, overrides?: Parameters<typeof startSignals>[2]): Promise<RunningService>;
  ask<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    actor?: Actor | null,
  ): Promise<z.output<C['output']>>;
  createEndpoint(
    name: string,
    over?: Omit<z.input<typeof contracts.createSignalEndpoint.input>, 'name'>,
  ): Promise<contracts.SignalEndpoint>;
  createToken(signalEndpointId: number, name: string): Promise<contracts.SignalEndpointToken>;
  /** Runs a statement as the owner of the tables. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The events of these types, or of all, in the outbox, oldest first. */
  events(...types: string[]): Promise<PublishedEvent[]>;
  /** The hints of signals since the rig started. */
  hints: { endpointChanged: number[]; tokenChanged: string[] };
  stop(): Promise<void>;
}

export function contextOf(actor: Actor | null): RequestContext {
  return { requestId: randomUUID(), actor, deadline: Date.now() + 10_000, traceparent: null };
}

/** Starts the rig. `settings` are those of its service and of all replicas. */
export async function startSignalsRig(settings: Record<string, string> = {}): Promise<SignalsRig> {
  const database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const logged: string[] = [];
  const log = createLogger({ service: 'test', level: 'error' });
  const bus = await connectBus({ url: inject('natsUrl'), name: 'test', prefix, log });
  const hints: SignalsRig['hints'] = { endpointChanged: [], tokenChanged: [] };
  bus.onHint(contracts.signalEndpointChangedHint, ({ endpointId }) => void hints.endpointChanged.push(endpointId));
  bus.onHint(contracts.signalTokenChangedHint, ({ selector }) => void hints.tokenChanged.push(selector));
  await bus.flush();

  const start: SignalsRig['start'] = async (more = {}, overrides = {}) => {
    const config = loadSignalsConfig({
      NATS_URL: inject('natsUrl'),
      DATABASE_URL: database.urlFor('signals'),
      YARDARM_PREFIX: prefix,
      ...settings,
      ...more,
    });
    const destination = { write: (line: string) => void logged.push(line) };
    return startSignals(config, createLogger({ service: 'signals', level: 'trace', destination }), overrides);
  };
  const service = await start();
  const ask: SignalsRig['ask'] = (contract, input, actor = admin) => bus.request(contract, input, contextOf(actor));
  const rows: SignalsRig['rows'] = async (text, values = []) => (await owner.query(text, values)).rows;

  return {
    bus,
    database,
    prefix,
    service,
    logged,
    start,
    hints,
    ask,
    createEndpoint: (name, over = {}) => ask(contracts.createSignalEndpoint, { name, ...over }),
    createToken: (signalEndpointId, name) => ask(contracts.createSignalEndpointToken, { signalEndpointId, name }),
    rows,
    async events(...types) {
      const found = await rows<{ payload: string }>(
        'select payload from signals.outbox where type = any($1) or $1 = array[]::text[] order by id',
        [types],
      );
      return found.map(({ payload }) => JSON.parse(payload) as PublishedEvent);
    },
    async stop() {
      await bus.drain();
      await service.drain();
      await service.stop();
      await owner.end();
      await database.drop();
    },
  };
}

/** Twenty concurrent calls: how many succeeded, and the codes of the other errors. */
export async function race(act: (racer: number) => Promise<unknown>): Promise<{ won: number; codes: string[] }> {
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, racer) => act(racer)));
  const failures = results.filter((result) => result.status === 'rejected');
  return { won: 20 - failures.length, codes: [...new Set(failures.map(({ reason }) => reason.code as string))] };
}
