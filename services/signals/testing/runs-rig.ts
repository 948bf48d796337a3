// The rig of the tests of runs: a database and streams of its own, services of signals, and flags and accounts whose
// answers a test chooses.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import { resolveActor } from '@yardarm/shared/contracts/accounts';
import { executeStep, type Step } from '@yardarm/shared/contracts/flags';
import { type ActionRun, listActionRuns, signalMessageId } from '@yardarm/shared/contracts/signals';
import { createDatabase, type Database, sql } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { systemOf } from '@yardarm/shared/service/with-database';
import { compileCache, createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { admin, contextOf } from '@yardarm/testing/callers';
import { afterEach, beforeEach, inject } from 'vitest';
import { loadSignalsConfig } from '../config.ts';
import type { SignalsTables } from '../db/schema.ts';
import { beginReading } from '../runs/positions.repo.ts';
import { startSignals } from '../service.ts';

export { admin } from '@yardarm/testing/callers';

export const context = (): RequestContext => contextOf(admin);

/** The service account of the sets, unless a test gives another. */
export const actorId = 12;

export interface CalledStep {
  stepId: string;
  step: Step;
  actor: Actor | null;
}

export interface NewSet {
  endpointId?: number;
  /** The flags that the actions switch on, in their order. */
  flags?: readonly string[];
  filters?: object;
  cooldownSeconds?: number;
  actorId?: number;
}

export class RunsRig {
  readonly bus: Bus;
  readonly db: Database<SignalsTables>;
  readonly environment: Record<string, string>;
  readonly logged: string[] = [];
  /** Every call of a step, also a repeated one. */
  readonly called: CalledStep[] = [];
  /** The flags that were switched on, each step once. */
  readonly switched: string[] = [];
  /** Decides how flags answers. It may throw an AppError, or wait. */
  answer: (call: CalledStep, flag: string) => unknown = () => undefined;
  /** The service accounts with their present permissions. */
  readonly actors = new Map<number, Actor>([[actorId, serviceAccount(actorId)]]);
  readonly #outcomes = new Map<string, string>();
  readonly #running = new Set<RunningService>();
  #signalId = 0;
  readonly #sent = new Set<number>();

  private constructor(bus: Bus, db: Database<SignalsTables>, environment: Record<string, string>) {
    this.bus = bus;
    this.db = db;
    this.environment = environment;
  }

  static async open(database: TestDatabase): Promise<RunsRig> {
    const prefix = `t${randomBytes(6).toString('hex')}`;
    const log = createLogger({ service: 'test', level: 'fatal' });
    const url = database.urlFor('signals');
    const db = createDatabase<SignalsTables>({ url, schema: 'signals', log });
    const system = systemOf('events', db);
    const bus = await connectBus({ url: inject('natsUrl'), name: 'test', prefix, log, system });
    await bus.ensureStreams(['EVENTS', 'SIGNALS']);
    const rig = new RunsRig(bus, db, {
      NATS_URL: inject('natsUrl'),
      DATABASE_URL: url,
      YARDARM_PREFIX: prefix,
      DATABASE_MAX_CONNECTIONS: '5',
      ...compileCache,
    });
    bus.serve(resolveActor, async ({ serviceAccountId }) => ({ actor: rig.actors.get(serviceAccountId) ?? null }));
    bus.serve(executeStep, async ({ stepId, step }, { actor }) => ({
      details: await rig.#execute({ stepId, step, actor }),
    }));
    await bus.flush();
    return rig;
  }

  /** As flags: the first success of a step is its outcome. */
  async #execute(call: CalledStep): Promise<string> {
    this.called.push(call);
    const { featureName: flag } = call.step.parameters as { featureName: string };
    await this.answer(call, flag);
    if (!this.#outcomes.has(call.stepId)) {
      this.switched.push(flag);
      this.#outcomes.set(call.stepId, `switched ${flag} on`);
    }
    return this.#outcomes.get(call.stepId)!;
  }

  async start(
    environment: Record<string, string> = {},
    overrides: Parameters<typeof startSignals>[2] = {},
  ): Promise<RunningService> {
    const destination = { write: (line: string) => void this.logged.push(line) };
    const log = createLogger({ service: 'signals', level: 'debug', destination });
    const service = await startSignals(loadSignalsConfig({ ...this.environment, ...environment }), log, overrides);
    this.#running.add(service);
    return service;
  }

  async stop(service: RunningService): Promise<void> {
    this.#running.delete(service);
    await service.drain();
    await service.stop();
  }

  /** Makes an enabled set as the service does: the end of the stream is read before the transaction. */
  async createSet(set: NewSet = {}): Promise<number> {
    const { endpointId = 1, flags = ['flag'], filters = {}, cooldownSeconds = 0, actorId: actor = actorId } = set;
    const end = await this.bus.streamInfo('SIGNALS');
    return this.db.transaction(async (trx) => {
      await beginReading(trx, endpointId, end);
      const { rows } = await sql<{ id: number }>`
        insert into action_sets (project, name, actor_id, enabled, enabled_at, source_id, filters, cooldown_seconds,
          created_by_user_id)
        values ('default', ${randomUUID()}, ${actor}, true, clock_timestamp(), ${endpointId}, ${JSON.stringify(filters)},
          ${cooldownSeconds}, 1)
        returning id`.execute(trx);
      const { id } = rows[0]!;
      await this.#insertActions(trx, id, flags);
      return id;
    });
  }

  #insertActions(db: Parameters<typeof beginReading>[0], id: number, flags: readonly string[]) {
    const actions = flags.map((featureName) => ({ project: 'default', environment: 'production', featureName }));
    return sql`
      insert into actions (action_set_id, sort_order, action, execution_params, created_by_user_id)
      select ${id}, n, 'TOGGLE_FEATURE_ON', params, 1
      from jsonb_array_elements(${JSON.stringify(actions)}::jsonb) with ordinality as a (params, n)`.execute(db);
  }

  async replaceActions(id: number, flags: readonly string[]): Promise<void> {
    await this.db.transaction(async (trx) => {
      await sql`delete from actions where action_set_id = ${id}`.execute(trx);
      await this.#insertActions(trx, id, flags);
    });
  }

  async switchSet(id: number, enabled: boolean): Promise<void> {
    await sql`
      update action_sets set enabled = ${enabled}, enabled_at = case when ${enabled} then clock_timestamp() end
      where id = ${id}`.execute(this.db.kysely);
  }

  /** Publishes a signal as the gateway does. Returns its id. */
  async send(
    payload: unknown = {},
    {
      endpointId = 1,
      createdAt = new Date(),
      id = this.#signalId + 1,
    }: { endpointId?: number; createdAt?: Date; id?: number } = {},
  ): Promise<number> {
    this.#signalId = Math.max(this.#signalId, id);
    const signal = { id, source: 'signal-endpoint', sourceId: endpointId, createdBySourceTokenId: 1 };
    const message = { ...signal, createdAt: createdAt.toISOString(), payloadText: JSON.stringify(payload) };
    // The stream drops a second message with the id for two minutes. Published again, as after those, it has another.
    const isFirst = !this.#sent.has(id);
    this.#sent.add(id);
    await this.bus.publish(`signal.${endpointId}`, message, { msgId: isFirst ? signalMessageId(id) : randomUUID() });
    return id;
  }

  async runs(): Promise<{ id: number; signalId: number; setId: number; state: string; steps: string[] }[]> {
    const { rows } = await sql<{ id: number; signalId: number; setId: number; state: string; steps: string[] }>`
      select id, signal_id as "signalId", action_set_id as "setId", state, (
        select json_agg(s.state order by position) from run_steps s where s.run_id = r.id) as steps
      from action_runs r order by id`.execute(this.db.kysely);
    return rows;
  }

  async listed(actionSetId: number, page = { limit: 1_000, offset: 0 }): Promise<ActionRun[]> {
    const input = { projectId: 'default', actionSetId, ...page };
    return (await this.bus.request(listActionRuns, input, context())).actionSetEvents;
  }

  async storedIds(): Promise<number[]> {
    const rows = await this.db.kysely.selectFrom('signals').select('id').orderBy('id').execute();
    return rows.map(({ id }) => id);
  }

  /** Makes all waiting retries due. */
  async passRetryTime(): Promise<void> {
    await sql`update action_runs set next_attempt_at = now() where finished_at is null`.execute(this.db.kysely);
  }

  /** Lets the time for retries pass. */
  async passRetryLimit(): Promise<void> {
    await sql`update action_runs set retry_until = now() where retry_until is not null`.execute(this.db.kysely);
    await this.passRetryTime();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((service) => this.stop(service)));
    await this.bus.drain();
    await this.db.close();
  }
}

export function serviceAccount(id: number, permissions: string[] = ['ADMIN']): Actor {
  return { kind: 'service-account', id, username: `account-${id}`, grants: [{ permissions: permissions as never[] }] };
}

/** A rig for each test of a file. */
export function runsRig(): { readonly rig: RunsRig; readonly database: TestDatabase } {
  let database: TestDatabase;
  let rig: RunsRig;
  beforeEach(async () => {
    database = await createTestDatabase();
    rig = await RunsRig.open(database);
  });
  afterEach(async () => {
    await rig?.close();
    await database?.drop();
  });
  return {
    get rig() {
      return rig;
    },
    get database() {
      return database;
    },
  };
}
