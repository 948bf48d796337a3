import { randomBytes, randomUUID } from 'node:crypto';
import { readToken } from '@yardarm/shared/auth';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor, RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { findMissingProjectsAndEnvironments, type Incarnation } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import pg from 'pg';
import { inject } from 'vitest';
import type { z } from 'zod';
import { loadAccountsConfig } from '../config.ts';
import { type AccountsOverrides, startAccounts } from '../service.ts';

export const admin: Actor = { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] };

/** A running accounts service with its own database and prefix, a bus client, and access to its tables and log. */
export interface AccountsRig {
  bus: Bus;
  database: TestDatabase;
  service: RunningService;
  /** Every line that the service has logged, at trace level. */
  logged: string[];
  /** Another replica of the service, or one with other settings. */
  start(settings?: Record<string, string>, overrides?: AccountsOverrides): Promise<RunningService>;
  ask<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    actor?: Actor | null,
  ): Promise<z.output<C['output']>>;
  /** What a gateway gets for a token; null when the token is not valid. */
  resolved(secret: string): Promise<contracts.ResolvedToken | null>;
  /** Runs a statement as the owner of the tables. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The events of these types, or of all, in the outbox, oldest first. */
  events(...types: string[]): Promise<PublishedEvent[]>;
  /** The stand-in for flags: what it has, with the times of their creation, and what happens before it answers. */
  flags: { projects: Map<string, string>; environments: Map<string, string>; beforeAnswer(): Promise<void> };
  /** Publishes an event of flags. */
  announce(event: Partial<PublishedEvent>): Promise<void>;
  /** The hints of accounts since the rig started. */
  hints: { tokenChanged: string[]; accessChanged: (number | null)[] };
  stop(): Promise<void>;
}

export function contextOf(actor: Actor | null): RequestContext {
  return { requestId: randomUUID(), actor, deadline: Date.now() + 10_000, traceparent: null };
}

/** Starts the rig. A stand-in answers for flags, with `default`, `other`, `development` and `production`. */
export async function startAccountsRig(settings: Record<string, string> = {}): Promise<AccountsRig> {
  const database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const logged: string[] = [];
  const log = createLogger({ service: 'test', level: 'error' });
  const bus = await connectBus({ url: inject('natsUrl'), name: 'test', prefix, log });
  const madeAtStart = (...ids: string[]) => new Map(ids.map((id) => [id, '2026-01-01T00:00:00.000Z']));
  const [projects, environments] = [madeAtStart('default', 'other'), madeAtStart('development', 'production')];
  const flags: AccountsRig['flags'] = { projects, environments, beforeAnswer: async () => {} };
  bus.serve(findMissingProjectsAndEnvironments, async (requested) => {
    const found = (kind: Incarnation['kind'], ids: readonly string[], existing: ReadonlyMap<string, string>) =>
      ids.flatMap((id): Incarnation[] => (existing.has(id) ? [{ kind, id, createdAt: existing.get(id)! }] : []));
    const answer = {
      projects: requested.projects.filter((id) => !projects.has(id)),
      environments: requested.environments.filter((name) => !environments.has(name)),
      found: [
        ...found('project', requested.projects, projects),
        ...found('environment', requested.environments, environments),
      ],
    };
    await flags.beforeAnswer();
    return answer;
  });
  const hints: AccountsRig['hints'] = { tokenChanged: [], accessChanged: [] };
  bus.onHint(contracts.tokenChangedHint, ({ selector }) => void hints.tokenChanged.push(selector));
  bus.onHint(contracts.accessChangedHint, ({ userId }) => void hints.accessChanged.push(userId));
  await bus.flush();

  // Without a first admin, so that tests create all users themselves.
  const start = async (
    more: Record<string, string> = {},
    overrides: AccountsOverrides = { makesInitialAdmin: false },
  ) => {
    const config = loadAccountsConfig({
      NATS_URL: inject('natsUrl'),
      DATABASE_URL: database.urlFor('accounts'),
      YARDARM_PREFIX: prefix,
      ...settings,
      ...more,
    });
    const destination = { write: (line: string) => void logged.push(line) };
    return startAccounts(config, createLogger({ service: 'accounts', level: 'trace', destination }), overrides);
  };
  const service = await start();
  await service.processAll();

  return {
    bus,
    database,
    service,
    logged,
    start,
    hints,
    flags,
    async announce(event) {
      const whole = publishedEvent(event);
      await bus.publish(`evt.flags.${whole.type}`, whole, { msgId: randomUUID() });
    },
    ask: (contract, input, actor = admin) => bus.request(contract, input, contextOf(actor)),
    async resolved(secret) {
      const { selector } = readToken(secret)!;
      return (await bus.request(contracts.resolveToken, { selector }, contextOf(null))).token;
    },
    rows: async (text, values = []) => (await owner.query(text, values)).rows,
    async events(...types) {
      const { rows } = await owner.query<{ payload: string }>(
        'select payload from accounts.outbox where type = any($1) or $1 = array[]::text[] order by id',
        [types],
      );
      return rows.map(({ payload }) => JSON.parse(payload) as PublishedEvent);
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

export const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString();

export function refusal(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  return promise.then(
    () => {
      throw new Error('was not refused');
    },
    ({ code, message }) => ({ code, message }),
  );
}

/** Runs twenty requests at once. Returns how many succeeded, and the error codes of the others. */
export async function race(act: (racer: number) => Promise<unknown>): Promise<{ won: number; codes: string[] }> {
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, racer) => act(racer)));
  const failures = results.filter((result) => result.status === 'rejected');
  return { won: 20 - failures.length, codes: [...new Set(failures.map(({ reason }) => reason.code as string))] };
}
