import { randomBytes, randomUUID } from 'node:crypto';
import { loadAccountsConfig } from '@yardarm/accounts/config';
import { startAccounts } from '@yardarm/accounts/service';
import { loadFlagsConfig } from '@yardarm/flags/config';
import { startFlags } from '@yardarm/flags/service';
import type { EnvironmentSnapshot } from '@yardarm/gateway/environment-snapshot';
import { Scope } from '@yardarm/gateway/scope';
import { ScopeView } from '@yardarm/gateway/views';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { inject } from 'vitest';
import type { z } from 'zod';
import { type Ask, projects } from './scene.ts';

export type Fetched = z.output<typeof contracts.fetchSnapshot.output>;

/** The service flags on a database of its own, with accounts, which flags asks before it uses a name again. */
export interface FlagsSystem {
  database: TestDatabase;
  bus: Bus;
  ask: Ask;
  stop(): Promise<void>;
}

export const context = (): RequestContext => ({
  requestId: randomUUID(),
  actor: { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] },
  deadline: Date.now() + 20_000,
  traceparent: null,
});

export async function startFlagsSystem(): Promise<FlagsSystem> {
  const database = await createTestDatabase();
  const YARDARM_PREFIX = `t${randomBytes(6).toString('hex')}`;
  const settingsOf = (service: 'flags' | 'accounts') => ({
    NATS_URL: inject('natsUrl'),
    DATABASE_URL: database.urlFor(service),
    YARDARM_PREFIX,
    LOG_LEVEL: 'error',
  });
  const config = loadFlagsConfig(settingsOf('flags'));
  const log = createLogger({ service: 'test', level: 'error' });
  const accounts = await startAccounts(loadAccountsConfig(settingsOf('accounts')), log, { makesInitialAdmin: false });
  const service = await startFlags(config, log);
  const bus = await connectBus({ url: config.NATS_URL, name: 'test', prefix: config.YARDARM_PREFIX, log });
  const ask: Ask = (contract, input) => bus.request(contract, input, context());
  await ask(contracts.createProject, { id: 'second', name: 'Second' });
  return {
    ...{ database, bus, ask },
    async stop() {
      await bus.drain();
      for (const each of [service, accounts]) {
        await each.drain();
        await each.stop();
      }
      await database.drop();
    },
  };
}

/** Null when the environment does not exist. */
export async function fetchChange(
  { bus }: FlagsSystem,
  environment: string,
  known: EnvironmentSnapshot['known'],
): Promise<Fetched | null> {
  try {
    return await bus.request(contracts.fetchSnapshot, { environment, known }, context());
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-found') return null;
    throw error;
  }
}

/** False when the environment does not exist. */
export async function synchronise(system: FlagsSystem, snapshot: EnvironmentSnapshot): Promise<boolean> {
  const { environment, known } = snapshot;
  const change = await fetchChange(system, environment, known);
  if (change === null) return false;
  if (known !== null && change.isWhole) throw new Error('A delta is expected.');
  snapshot.apply(change);
  return true;
}

const scopes = [['*'], ...projects.map((project) => [project])].flatMap((names) =>
  (['inlined', 'separate'] as const).map((segmentFormat) => ({ projects: names, segmentFormat })),
);

/** The listings of all and of single projects. Their ETags have the revisions. */
export function bytesOf(snapshot: EnvironmentSnapshot): string[] {
  const { environment } = snapshot;
  return scopes.map((scope) =>
    new ScopeView(snapshot, new Scope({ environment, ...scope })).listing().plain.toString(),
  );
}

/** What SDKs of an environment can see of a project: its flags with their tags, and the segments in use. */
export function visibleIn({ changed, changedSegments }: Fetched, project: string): string {
  return JSON.stringify([
    changed.flatMap(({ feature, tags }) => (feature.project === project ? [{ feature, tags }] : [])),
    changedSegments.flatMap(({ revision: _, ...segment }) => (segment.project === project ? [segment] : [])),
  ]);
}
