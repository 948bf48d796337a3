import type { ServedContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { EventType } from '@yardarm/shared/contracts/events';
import { revisionHint } from '@yardarm/shared/contracts/flags';
import { appendEvents, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsTables } from '../db/schema.ts';
import { featureOrderingKey, type StoredFeature } from '../features/feature.ts';
import type { FlagsResources } from '../resources.ts';
import { recordAuthors } from './authors.repo.ts';
import { raiseRevisions, type VisibleChange } from './revisions.repo.ts';

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
  /** In the order in which they happened. */
  events: readonly FeatureEvent[];
  /** The environments whose SDKs see the change. */
  visibleIn: 'all' | readonly string[];
}

/** Appends the events of changes to the outbox and records their authors. The commit raises the revisions. */
export type Emit = (...changes: ChangedFeature[]) => Promise<void>;

/**
 * Runs a use case in one transaction. Every use case locks in the same order, so that no two deadlock: the flag's row,
 * the rows of the actors' names, the revisions.
 */
export async function recordChange<Answer>(
  { db, bus }: Pick<FlagsResources, 'bus' | 'db'>,
  useCase: (trx: Transaction<FlagsTables>, emit: Emit) => Promise<Answer>,
): Promise<Answer> {
  return await db.transaction(async (trx) => {
    const visible: VisibleChange[] = [];
    const answer = await useCase(trx, async (...changes) => {
      await appendChanges(trx, changes);
      visible.push(...changes.flatMap(visibleChanges));
    });
    if (visible.length > 0) {
      raiseRevisions(trx, visible, (raised) => {
        for (const revision of raised) bus.hint(revisionHint, revision);
      });
    }
    return answer;
  });
}

async function appendChanges(trx: Transaction<FlagsTables>, changes: readonly ChangedFeature[]): Promise<void> {
  const tags = await recordAuthors(
    trx,
    changes.map(({ context, feature }) => ({ featureName: feature.name, actor: actorOf(context) })),
  );
  appendEvents(
    trx,
    changes.flatMap(({ context, feature, events }) => {
      const common = {
        actor: actorOf(context),
        project: feature.project,
        featureName: feature.name,
        tags: tags.get(feature.name) ?? [],
        orderingKey: featureOrderingKey(feature.name),
        requestId: context.requestId,
        traceparent: context.traceparent,
      };
      return events.map((event) => ({ ...event, ...common }));
    }),
  );
}

function visibleChanges({ feature, visibleIn }: ChangedFeature): VisibleChange[] {
  const environments = visibleIn === 'all' ? [null] : visibleIn;
  const isRemoved = feature.archivedAt !== null;
  return environments.map((environment) => ({ featureName: feature.name, environment, isRemoved }));
}

/** The caller. `serve` has refused a request without an actor where the contract names a permission. */
export function actorOf(context: ServedContext): Actor {
  if (context.actor === null) throw new AppError('no-access', 'This needs an actor.');
  return context.actor;
}
