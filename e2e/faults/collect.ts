// Collects the results of a run: outboxes from Postgres, log and outcomes over HTTP.
import { eventually } from '@yardarm/testing';
import type { Arrival, Committed, LoggedEvent, Subscription } from './history.ts';
import type { YardarmServers } from './servers.ts';
import type { Yardarm } from './yardarm.ts';

type AnyYardarm = Yardarm<YardarmServers>;

/** A dead worker's claim expires after 10 s and a lease after 5 s, so this limit is generous on a busy machine too. */
const drainLimitMs = 120_000;

const sources = ['flags', 'accounts', 'signals', 'integrations'];

export interface Hook {
  id: number;
  path: string;
  types: ReadonlySet<string>;
  fromEventId: number;
}

/** Waits until all events are published, logged and delivered. Deliveries that wait for a retry become due at once. */
export async function untilDrained({ database }: AnyYardarm, hooks: readonly Hook[]): Promise<void> {
  const count = async (from: string, values: unknown[] = []) => {
    const [row] = await database.rows<{ n: string }>(`select count(*) as n from ${from}`, values);
    return Number(row!.n);
  };
  const expectAll = (what: string, done: number, all: number) => {
    if (done < all) throw new Error(`${done} of ${all} ${what}`);
  };
  await eventually(async () => {
    for (const source of sources) {
      const published = await count(`${source}.outbox where published_at is not null`);
      expectAll(`events of ${source} are published`, published, await count(`${source}.outbox`));
    }
    const committed = await count(
      `(${sources.map((source) => `select from ${source}.outbox`).join(' union all ')}) as all_of_them`,
    );
    expectAll('events are in the log', await count('events.events'), committed);
    await database.rows("update integrations.deliveries set next_attempt_at = now() where state = 'waiting'");
    for (const { id, path, types, fromEventId } of hooks) {
      const expected = await count('events.events where id > $1 and type = any ($2)', [fromEventId, [...types]]);
      const done = await count("integrations.deliveries where integration_id = $1 and state = 'succeeded'", [id]);
      expectAll(`deliveries to ${path} are done`, done, expected);
    }
    // This includes unexpected deliveries, so that a test sees them arrive.
    const open = await count("integrations.deliveries where state in ('pending', 'sending', 'waiting')");
    if (open > 0) throw new Error(`${open} deliveries are not done`);
  }, drainLimitMs);
}

export async function readCommitted({ database }: AnyYardarm): Promise<Committed[]> {
  const outboxes = sources.map((source) => `select event_id, payload from ${source}.outbox`).join(' union all ');
  const rows = await database.rows<{ id: string | null; payload: string }>(
    `select events.id, payload from (${outboxes}) as outbox left join events.events on events.event_id = outbox.event_id`,
  );
  return rows.map(({ id, payload }) => {
    const { type, featureName, data, preData } = JSON.parse(payload) as LoggedEvent;
    return { id: id === null ? null : Number(id), type, featureName, data, preData };
  });
}

/** The whole log from the public API, by increasing id. */
export async function readLog(yardarm: AnyYardarm): Promise<LoggedEvent[]> {
  const newestFirst: LoggedEvent[] = [];
  // An offset of 0 begins at the newest event, any other at the event with that id.
  for (let offset = 0; ; ) {
    const page = await yardarm.call('POST', '/api/admin/events/search', { limit: 100, offset });
    // The search adds texts and the group, which are not in the log.
    for (const { label: _label, summary: _summary, groupType: _type, groupId: _id, ...event } of page.events)
      newestFirst.push(event);
    const oldest = newestFirst.at(-1)?.id ?? 1;
    if (page.events.length === 0 || oldest <= 1) return newestFirst.reverse();
    offset = oldest - 1;
  }
}

export async function readSubscription(
  yardarm: AnyYardarm,
  hook: Hook,
  arrivals: readonly Arrival[],
): Promise<Subscription> {
  const outcomes: Subscription['outcomes'][number][] = [];
  for (;;) {
    const path = `/api/admin/addons/${hook.id}/events?limit=500&offset=${outcomes.length}`;
    const { integrationEvents } = await yardarm.call('GET', path);
    outcomes.push(...integrationEvents);
    if (integrationEvents.length === 0) break;
  }
  const { path, types, fromEventId } = hook;
  return { name: path, types, fromEventId, arrivals: arrivals.filter((arrival) => arrival.path === path), outcomes };
}

export async function addHook(
  yardarm: AnyYardarm,
  { url, path, types }: { url: string; path: string; types: readonly string[] },
): Promise<Hook> {
  const fromEventId = (await readLog(yardarm)).length;
  const body = { provider: 'webhook', enabled: true, parameters: { url: url + path }, events: types };
  const { id } = await yardarm.call('POST', '/api/admin/addons', body);
  return { id, path, types: new Set(types), fromEventId };
}
