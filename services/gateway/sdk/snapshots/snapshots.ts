import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import { listRevisions, revisionHint } from '@yardarm/shared/contracts/flags';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { PartHealth } from '@yardarm/shared/service';
import type { MaybePromise } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { productionIntervals } from '../../intervals.ts';
import { ownProperty } from '../../own-property.ts';
import { systemContext } from '../../system-context.ts';
import { EnvironmentSnapshot } from './environment-snapshot.ts';
import { Fetches } from './fetches.ts';
import { FirstLoad } from './first-load.ts';

/**
 * The gateway's snapshots of every environment. States:
 *
 *   empty       -> Flags has not sent the environment yet. SDK reads of it are answered 503, and first-load.ts decides
 *                  whether the gateway is ready.
 *   disk copy   -> Flags has not answered yet. The snapshot is of the copy (disk-copy/disk-copy.ts), as an earlier
 *                  process left it. Reads get it. The first answer of flags changes or deletes it.
 *   current     -> The snapshot is at the revisions that flags reported last.
 *   behind      -> A hint or the poll reported newer revisions, and a fetch is in flight. Reads get the old snapshot.
 *   unread      -> A hint reported a newer revision, but the environment was not read for `unreadMs`. Its next read
 *                  fetches it and waits, also when the next poll has begun to: that fetch may still be in flight.
 *   unreachable -> Flags does not answer. Reads get the old snapshot, and the poll tries again.
 *
 * Without `holdsFlags` there are no snapshots: the poll only asks for the types of flags, and flags is never a problem.
 *
 * A hint may be lost; the poll finds the same later. A deleted environment loses its snapshot. One that is made again
 * under the name gets a new snapshot, and waits for no fetch of the old one.
 */
export interface Snapshots {
  /** Null when the environment does not exist. A promise only while it waits for a fetch. Never rejects. */
  of(environment: string): MaybePromise<EnvironmentSnapshot | null>;
  /** The snapshot as it is, without counting as a read; null when the environment does not exist. */
  peek(environment: string): EnvironmentSnapshot | null;
  /**
   * Fetches what flags has now, for a reader that is ahead of the snapshot. True when the snapshot is at least at the
   * state that flags had when this was called; false when flags did not answer in time.
   */
  catchUp(snapshot: EnvironmentSnapshot): Promise<boolean>;
  /** Calls the listener after each change of the snapshot, its appearance and its deletion, until the returned call. */
  watch(environment: string, listener: () => void): () => void;
  /** The body of `GET /api/admin/feature-types`, at most one poll old; null before the first answer of flags. */
  featureTypes(): Buffer | null;
  /** Asks flags for its types. Never rejects: the poll asks again. */
  refreshFeatureTypes(): Promise<void>;
  /** The reason why the environment cannot be read: flags has not sent it yet, and the copy does not have it. */
  problem(environment: string): string | null;
  health(): PartHealth;
  /** How many environments are not loaded: of flags, or of the copy's tokens before flags has answered. */
  missing(): number;
  /** The sum of the revisions, and the time since flags confirmed that they are the newest; null before that. */
  currency(): { revision: number; ageSeconds: number } | null;
  /** The snapshots that were read since the moment, in epoch ms, the last read first. */
  readSince(moment: number): ReadSnapshot[];
  /** Asks flags for its revisions and fetches everything newer. Resolves when the snapshots have reached them. */
  synchronise(): Promise<void>;
  stop(): void;
}

export interface ReadSnapshot {
  snapshot: EnvironmentSnapshot;
  /** When it was read last, in milliseconds since 1970. */
  readAt: number;
}

/** Flags reads the revisions in milliseconds, under load in a second. */
const revisionsTimeoutMs = 5_000;

/**
 * SDKs poll about every fifteen seconds. An environment that was not read for this long is fetched at most once a
 * second, not with every change: most changes affect all environments, and most gateways serve one.
 */
const unreadMs = 60_000;

/** The wait of a read for a fetch. Flags answers in milliseconds. A late answer is worse than an old one. */
const maxWaitMs = 250;

export interface SnapshotsOptions {
  diskCopy?: readonly ReadSnapshot[] | undefined;
  /** The environments of the SDK tokens in the copy. */
  environmentsOfTokens?: Iterable<string>;
  /** False in a gateway that serves no SDKs. */
  holdsFlags?: boolean;
  pollMs?: number | undefined;
  firstLoadMs?: number | undefined;
}

/** The first poll is in flight when it returns. */
export function startSnapshots(
  bus: Bus,
  log: Logger,
  {
    diskCopy = [],
    environmentsOfTokens = [],
    holdsFlags = true,
    pollMs = productionIntervals.snapshotPollMs,
    firstLoadMs = productionIntervals.firstLoadMs,
  }: SnapshotsOptions = {},
): Snapshots {
  const environments = new Map(diskCopy.map(({ snapshot }) => [snapshot.environment, snapshot]));
  /** Snapshots before their first fetch has ended. Nobody reads them. */
  const loading = new Map<string, EnvironmentSnapshot>();
  /** When an environment was read last, by the clock of `performance`. */
  const readAt = new Map(diskCopy.map((read) => [read.snapshot.environment, read.readAt - performance.timeOrigin]));
  const watchers = new Map<string, Set<() => void>>();
  /** What changed while it was not read: null, or what its first readers wait for. */
  const unread = new Map<string, Promise<void> | null>();
  const firstLoad = new FirstLoad({
    ...{ holdsFlags, ofTokens: environmentsOfTokens, maxWaitMs: firstLoadMs },
    isThere: (environment) => environments.has(environment),
  });
  let featureTypes: Buffer | null = null;
  let asked = 0;
  /** The number of the request whose answer has `featureTypes`. An answer may overtake that of an earlier request. */
  let typesOf = 0;
  /** When the last successful poll began, by the clock of `performance`. */
  let currentAt: number | null = null;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function notify(environment: string): void {
    for (const listener of watchers.get(environment) ?? []) listener();
  }

  const fetches = new Fetches(bus, (snapshot) => {
    if (environments.get(snapshot.environment) === snapshot) notify(snapshot.environment);
  });

  async function askRevisions(): Promise<z.output<typeof listRevisions.output>> {
    asked += 1;
    const number = asked;
    const latest = await bus.request(listRevisions, {}, systemContext(revisionsTimeoutMs));
    if (number > typesOf) {
      typesOf = number;
      featureTypes = Buffer.from(JSON.stringify({ version: 1, types: latest.featureTypes }));
    }
    return latest;
  }

  async function synchronise(): Promise<void> {
    const startedAt = performance.now();
    const latest = await askRevisions();
    firstLoad.answered(Object.keys(latest.environments));
    for (const name of [...environments.keys(), ...loading.keys()]) {
      if (Object.hasOwn(latest.environments, name)) continue;
      for (const known of [environments, loading, readAt, unread]) known.delete(name);
      notify(name);
    }
    const held = holdsFlags ? Object.entries(latest.environments) : [];
    const loaded = held.filter(([name]) => environments.has(name));
    const updates = loaded.map(async ([name, revisions]) => {
      const snapshot = environments.get(name)!;
      if (snapshot.isBehind(latest.epoch, revisions)) await fetches.newer(snapshot);
    });
    const missing = new Set(held.map(([name]) => name).filter((name) => !environments.has(name)));
    await Promise.all([...updates, loadEach(missing)]);
    currentAt = startedAt;
    firstLoad.succeeded();
  }

  /**
   * Loads the environments one after another, so that the first ones can be read long before the last one is there:
   * flags needs its CPU for each. One that cannot be loaded does not keep the others out.
   */
  async function loadEach(missing: Set<string>): Promise<void> {
    const failures: Error[] = [];
    for (let name = firstLoad.next(missing); name !== undefined; name = firstLoad.next(missing)) {
      missing.delete(name);
      await load(name).catch((error: unknown) => failures.push(coerceError(error)));
    }
    if (failures[0]) throw failures[0];
  }

  async function load(name: string): Promise<void> {
    // Another call may have loaded it while this one loaded others.
    if (environments.has(name)) return;
    const snapshot = loading.get(name) ?? new EnvironmentSnapshot(name);
    loading.set(name, snapshot);
    await fetches.newer(snapshot);
    if (loading.get(name) !== snapshot) return;
    loading.delete(name);
    environments.set(name, snapshot);
    notify(name);
  }

  async function poll(): Promise<void> {
    timer = undefined;
    try {
      await synchronise();
    } catch (error) {
      firstLoad.failed(coerceError(error).message);
      log.debug({ err: coerceError(error) }, 'flags did not answer with its revisions');
    }
    if (!isStopped) timer = setTimeout(poll, pollMs);
  }

  const stopListening = bus.onStatus((isConnected) => {
    // Without a connection the last poll has failed at once. Without a timer a poll is in flight.
    if (!isConnected || timer === undefined) return;
    clearTimeout(timer);
    void poll();
  });

  bus.onHint(revisionHint, ({ environment, project, revision }) => {
    const snapshot = environments.get(environment);
    if (!snapshot || (ownProperty(snapshot.known?.revisions ?? {}, project) ?? 0) >= revision) return;
    const idleMs = performance.now() - (readAt.get(environment) ?? Number.NEGATIVE_INFINITY);
    if (idleMs > unreadMs && !watchers.has(environment)) unread.set(environment, null);
    else void fetchNow(snapshot);
  });
  void poll();

  /** Never rejects. */
  async function fetchNow(snapshot: EnvironmentSnapshot): Promise<void> {
    await fetches
      .newer(snapshot)
      .catch((error: unknown) =>
        log.debug({ err: coerceError(error) }, 'a fetch after a hint failed; the poll tries again'),
      );
  }

  /** All readers until it has ended share it, and none waits longer than the first one. */
  function firstFetch(snapshot: EnvironmentSnapshot): Promise<void> {
    const { environment } = snapshot;
    const begin = () =>
      Promise.race([fetchNow(snapshot), sleep(maxWaitMs)]).then(() => void unread.delete(environment));
    const fetched = unread.get(environment) ?? begin();
    unread.set(environment, fetched);
    return fetched;
  }

  return {
    of(environment) {
      const snapshot = environments.get(environment);
      if (!snapshot) return null;
      readAt.set(environment, performance.now());
      return unread.has(environment) ? firstFetch(snapshot).then(() => snapshot) : snapshot;
    },
    peek: (environment) => environments.get(environment) ?? null,
    async catchUp(snapshot) {
      if (environments.get(snapshot.environment) !== snapshot) return true;
      const fetched = fetches.newer(snapshot).then(
        () => true,
        () => false,
      );
      return Promise.race([fetched, sleep(maxWaitMs, false, { ref: false })]);
    },
    watch(environment, listener) {
      const listeners = watchers.get(environment) ?? new Set();
      watchers.set(environment, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watchers.get(environment) === listeners) watchers.delete(environment);
      };
    },
    featureTypes: () => featureTypes,
    async refreshFeatureTypes() {
      await askRevisions().catch((error: unknown) =>
        log.debug({ err: coerceError(error) }, 'flags did not answer with its types; the poll tries again'),
      );
    },
    problem: (environment) => firstLoad.problem(environment),
    health: () => firstLoad.health(),
    missing: () => firstLoad.missing().length,
    currency() {
      if (currentAt === null) return null;
      const revisions = [...environments.values()].flatMap(({ known }) => Object.values(known?.revisions ?? {}));
      const revision = revisions.reduce((sum, each) => sum + each, 0);
      return { revision, ageSeconds: (performance.now() - currentAt) / 1_000 };
    },
    readSince: (moment) =>
      [...environments.values()]
        .map((snapshot) => ({ snapshot, readAt: epochMs(readAt.get(snapshot.environment)) }))
        .filter((read) => read.readAt >= moment)
        .sort((a, b) => b.readAt - a.readAt),
    synchronise,
    stop() {
      isStopped = true;
      stopListening();
      clearTimeout(timer);
      fetches.stop();
    },
  };
}

/** 0 for an environment that was never read. */
function epochMs(at: number | undefined): number {
  return at === undefined ? 0 : performance.timeOrigin + at;
}
