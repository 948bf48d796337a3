import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { EventType } from '@yardarm/shared/contracts/events';
import { type Feature, revisionHint } from '@yardarm/shared/contracts/flags';
import { appendEvents, type NewEvent, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import { type Caller, TimeSlicer } from '@yardarm/shared/waiting';
import type { FlagsTables } from '../db/schema.ts';
import { featureOrderingKey, type StoredFeature } from '../features/feature.ts';
import type { FlagsResources } from '../resources.ts';
import { appendInPortions } from './prepared-events.repo.ts';
import { type EnvironmentOfProject, noChanges, raiseRevisions, type VisibleChanges } from './revisions.repo.ts';
import { translateSizeError } from './sizes.ts';
import { touchFeatures } from './touch-features.repo.ts';

export interface FeatureEvent {
  type: EventType;
  environment?: string;
  data?: Record<string, unknown> | null;
  preData?: Record<string, unknown> | null;
}

export interface ChangedFeature {
  context: ServedContext;
  /** The flag after the change. Its row is locked. */
  feature: StoredFeature;
  /** Whether the statement that wrote the flag's row has raised its version. */
  hasNewVersion?: boolean;
  /** In the order in which they happened. None if they are prepared (`prepareEvents`). */
  events: readonly FeatureEvent[];
  /** The environments whose SDKs see the change. */
  visibleIn: 'all' | readonly string[];
  /** Whether the flag is made, so that readers may have to forget an earlier one of its name no more. */
  isNew?: boolean;
  /** By how many bytes the flag grows in each environment. Without it the flag is measured. */
  growth?: number | undefined;
  /** The places that the flag has left: another project, or an environment that its project no longer has. */
  departures?: readonly EnvironmentOfProject[];
  /** The segments of the strategies that the change added, changed or removed, before and after. */
  segments?: readonly number[];
}

/** An event that is not about one existing flag. */
export interface NounEvent extends FeatureEvent {
  project?: string;
  featureName?: string;
  tags?: Feature['tags'];
}

/** A change of something that is no flag, or of a flag that no longer exists. It adds no collaborator. */
export interface ChangedNoun {
  context: Pick<ServedContext, 'actor' | 'requestId' | 'traceparent'>;
  /** The caller has locked the row whose lock orders the events of this key. */
  orderingKey: string;
  events: readonly NounEvent[];
  /** What SDKs see differently once the change is committed. */
  visible?: Partial<VisibleChanges>;
}

export type Change = ChangedFeature | ChangedNoun;

/** Records the authors of changes. After the use case their events are appended, in the order of the calls. */
export type Emit = (...changes: Change[]) => Promise<void>;

type UseCase<Answer> = (trx: Transaction<FlagsTables>, emit: Emit) => Promise<Answer>;

/**
 * Runs a use case in one transaction, as soon as fewer changes run than may, until the deadline of the request. The use
 * case must use the transaction alone: another connection or change could have to wait for this one. Every use case
 * locks in the same order, so that no two deadlock: projects by id, environments by name, flags by name, segments by
 * id, the rows of the actors' names, limits, the revisions, the sizes of environments.
 */
export async function recordChange<Answer>(
  resources: Pick<FlagsResources, 'bus' | 'changes' | 'db' | 'limits'>,
  context: Caller,
  useCase: UseCase<Answer>,
): Promise<Answer> {
  return await resources.changes.run(context, () => recordChangeAtOnce(resources, useCase, context));
}

/**
 * The same for a change that waits for no lock of another change: a group of requests skips locked rows, and an export
 * only reads and has a limit of its own. It does not wait for changes that wait for locks.
 */
export async function recordChangeAtOnce<Answer>(
  { db, bus, limits }: Pick<FlagsResources, 'bus' | 'db' | 'limits'>,
  useCase: UseCase<Answer>,
  { deadline }: Pick<ServedContext, 'deadline'> = { deadline: Number.POSITIVE_INFINITY },
): Promise<Answer> {
  const change = db.transaction(async (trx) => {
    const visible = noChanges();
    const emitted: { changes: readonly Change[]; tags: ReadonlyMap<string, Feature['tags']> }[] = [];
    const answer = await useCase(trx, async (...changes) => {
      emitted.push({ changes, tags: await touched(trx, changes) });
      for (const change of changes) addVisible(visible, change);
    });
    const events = emitted.values().flatMap(({ changes, tags }) => eventsOf(changes, tags));
    const count = emitted.reduce(
      (sum, { changes }) => sum + changes.reduce((own, change) => own + change.events.length, 0),
      0,
    );
    if (count <= maxEventsAtOnce) appendEvents(trx, [...events]);
    else await appendInPortions(trx, events, new TimeSlicer({ deadline }));
    await raiseRevisions(trx, visible, limits, (raised) => {
      for (const revision of raised) bus.hint(revisionHint, revision);
    });
    return answer;
  });
  return await change.catch((error: unknown) => {
    throw translateSizeError(error, limits);
  });
}

/** Their statement is sent with the commit. As many of 2 kB take three milliseconds to encode and to send. */
const maxEventsAtOnce = 100;

/** The changed flags have a new version and an author. Returns their tags after the changes. */
async function touched(
  trx: Transaction<FlagsTables>,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, Feature['tags']>> {
  const authors = changes.flatMap((change) =>
    'feature' in change
      ? [
          {
            featureName: change.feature.name,
            actor: actorOf(change.context),
            hasNewVersion: change.hasNewVersion ?? false,
          },
        ]
      : [],
  );
  return authors.length === 0 ? new Map() : await touchFeatures(trx, authors);
}

/** The events of changes. `tags` are those of the flags after the changes. */
export function* eventsOf(
  changes: readonly Change[],
  tags: ReadonlyMap<string, Feature['tags']>,
): Generator<NewEvent, void, undefined> {
  for (const change of changes) {
    const { requestId, traceparent } = change.context;
    const common = { actor: actorOf(change.context), requestId, traceparent, ...subjectOf(change, tags) };
    for (const event of change.events) if (changesData(event)) yield { ...common, ...event };
  }
}

export function orderingKeyOf(change: Change): string {
  return 'feature' in change ? featureOrderingKey(change.feature.name) : change.orderingKey;
}

/** False for an event whose data equals its preData. A switch has neither and is an event. */
function changesData({ data, preData }: FeatureEvent): boolean {
  return data == null || preData == null || !isDeepStrictEqual(data, preData);
}

function subjectOf(change: Change, tags: ReadonlyMap<string, Feature['tags']>) {
  const orderingKey = orderingKeyOf(change);
  if (!('feature' in change)) return { orderingKey };
  const { name, project } = change.feature;
  return { project, featureName: name, tags: tags.get(name) ?? [], orderingKey };
}

function addVisible(visible: VisibleChanges, change: Change): void {
  if (!('feature' in change)) {
    const { features = [], departures = [], places = [], segments = [] } = change.visible ?? {};
    const { segmentUses = [], endsOfUse = [] } = change.visible ?? {};
    visible.features.push(...features);
    visible.departures.push(...departures);
    visible.places.push(...places);
    visible.segments.push(...segments);
    visible.segmentUses.push(...segmentUses);
    visible.endsOfUse.push(...endsOfUse);
    return;
  }
  const { feature, visibleIn, isNew, growth, departures = [], segments = [] } = change;
  const environments = visibleIn === 'all' ? [null] : visibleIn;
  const isRemoved = feature.archivedAt !== null;
  const { name: featureName } = feature;
  visible.features.push(...environments.map((environment) => ({ featureName, environment, isNew, isRemoved, growth })));
  visible.departures.push(...departures.map((place) => ({ featureName, ...place })));
  visible.segmentUses.push(...segments);
}

/** The caller. `serve` has refused a request without an actor where the contract names a permission. */
export function actorOf(context: Pick<ServedContext, 'actor'>): Actor {
  if (context.actor === null) throw new AppError('no-access', 'This needs an actor.');
  return context.actor;
}
