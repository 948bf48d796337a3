import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { fetchSnapshot, listRevisions, revisionHint } from '@yardarm/shared/contracts/flags';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { newTraceparent } from '@yardarm/shared/telemetry';
import { EnvironmentSnapshot, type SnapshotChange } from './environment-snapshot.ts';

/**
 * The gateway's copy of what SDKs may see, of every environment.
 *
 *   empty    -> never heard of flags: SDK reads are answered 503, /ready says so.
 *   current  -> at the revisions that flags told last.
 *   behind   -> a hint or the poll told of newer revisions: a fetch is on its way; reads are answered from what is here.
 *   unread   -> behind by a hint, and nobody has read it for a while: the poll will fetch it, or the first who reads it, and waits for it.
 *   deaf     -> flags cannot be reached: reads go on from what is here; the poll goes on trying.
 *
 * A hint makes it look at once and may be lost; the poll behind it is the truth. At most one fetch per environment is under way; what
 * comes in meanwhile makes one more after it.
 */
export interface Snapshots {
  /** The snapshot of an environment, or null when there is no such environment. Throws nothing. */
  of(environment: string): Promise<EnvironmentSnapshot | null>;
  /** The same without waiting; null also when `of` would wait, or before anything was current. */
  now(environment: string): EnvironmentSnapshot | null;
  /** The body of `GET /api/admin/feature-types`, at most one poll old while flags answers; null before the first answer. */
  featureTypes(): Buffer | null;
  /** Null once it has been current, else why not. */
  fault(): string | null;
  /** Asks flags for its revisions and fetches whatever is newer; resolves when everything of that moment is here. */
  synchronise(): Promise<void>;
  stop(): void;
}

/** A lost hint is felt for this long at the most; the question is a few hundred bytes. */
const pollMs = 1_000;

/**
 * SDKs ask every fifteen seconds or so. An environment that none has asked for in so long is fetched once a second at the most, not with
 * every change: most changes are of all environments, and most gateways are asked for one.
 */
const unreadMs = 60_000;

/** How long the first reader waits for what is behind; flags answers in milliseconds, and a late answer is worse than an old one. */
const timeoutMs = 250;

/** A whole environment of many flags takes seconds to read and carry; beyond this the poll tries again. */
const fetchTimeoutMs = 30_000;

/** Starts keeping the copy; the first round is under way when it returns. */
export function startSnapshots(bus: Bus, log: Logger): Snapshots {
  const environments = new Map<string, EnvironmentSnapshot>();
  const fetching = new Map<string, Promise<void>>();
  const wanted = new Set<string>();
  const readAt = new Map<string, number>();
  const unread = new Set<string>();
  let featureTypes: Buffer | null = null;
  let hasBeenCurrent = false;
  let lastFault = 'flags has not answered yet';
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function fetchOnce(snapshot: EnvironmentSnapshot): Promise<void> {
    const change: SnapshotChange & { changed: unknown[]; removed: unknown[] } = {
      epoch: '',
      revisions: {},
      isWhole: false,
      changed: [],
      removed: [],
    };
    let pieces = 0;
    for await (const piece of bus.requestMany(
      fetchSnapshot,
      { environment: snapshot.environment, known: snapshot.known },
      ownContext(fetchTimeoutMs),
    )) {
      pieces += 1;
      change.epoch = piece.epoch;
      change.revisions = piece.revisions;
      change.isWhole = piece.isWhole;
      change.changed.push(...piece.changed);
      change.removed.push(...piece.removed);
    }
    if (pieces > 0) snapshot.apply(change);
  }

  function fetchNewer(snapshot: EnvironmentSnapshot): Promise<void> {
    const name = snapshot.environment;
    const under = fetching.get(name);
    if (under !== undefined) {
      wanted.add(name);
      return under;
    }
    const run = (async () => {
      do {
        wanted.delete(name);
        unread.delete(name);
        await fetchOnce(snapshot);
      } while (wanted.has(name) && !isStopped);
    })().finally(() => fetching.delete(name));
    fetching.set(name, run);
    return run;
  }

  async function synchronise(): Promise<void> {
    const truth = await bus.request(listRevisions, {}, ownContext(pollMs * 5));
    featureTypes = Buffer.from(JSON.stringify({ version: 1, types: truth.featureTypes }));
    for (const name of environments.keys()) if (!Object.hasOwn(truth.environments, name)) environments.delete(name);
    await Promise.all(
      Object.entries(truth.environments).map(async ([name, revisions]) => {
        const snapshot = environments.get(name) ?? new EnvironmentSnapshot(name);
        if (snapshot.isBehind(truth.epoch, revisions)) await fetchNewer(snapshot);
        environments.set(name, snapshot);
      }),
    );
    hasBeenCurrent = true;
  }

  async function poll(): Promise<void> {
    try {
      await synchronise();
    } catch (error) {
      lastFault = coerceError(error).message;
      log.debug({ err: coerceError(error) }, 'flags cannot be asked for its revisions');
    }
    if (!isStopped) timer = setTimeout(poll, pollMs);
  }

  bus.onHint(revisionHint, ({ environment, project, revision }) => {
    const snapshot = environments.get(environment);
    if (!snapshot || (snapshot.known?.revisions[project] ?? 0) >= revision) return;
    if (performance.now() - (readAt.get(environment) ?? Number.NEGATIVE_INFINITY) > unreadMs) unread.add(environment);
    else void fetchNow(snapshot);
  });
  void poll();

  /** Never rejects. */
  async function fetchNow(snapshot: EnvironmentSnapshot): Promise<void> {
    await fetchNewer(snapshot).catch((error: unknown) =>
      log.debug({ err: coerceError(error) }, 'a fetch after a hint failed; the poll tries again'),
    );
  }

  return {
    async of(environment) {
      const snapshot = environments.get(environment);
      if (!snapshot) return null;
      readAt.set(environment, performance.now());
      if (unread.delete(environment)) await Promise.race([fetchNow(snapshot), sleep(timeoutMs)]);
      return snapshot;
    },
    now(environment) {
      const snapshot = environments.get(environment);
      if (!snapshot || !hasBeenCurrent || unread.has(environment)) return null;
      readAt.set(environment, performance.now());
      return snapshot;
    },
    featureTypes: () => featureTypes,
    fault: () => (hasBeenCurrent ? null : lastFault),
    synchronise,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function ownContext(timeoutMs: number): RequestContext {
  return { requestId: randomUUID(), actor: null, deadline: Date.now() + timeoutMs, traceparent: newTraceparent() };
}
