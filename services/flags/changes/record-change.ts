import type { Bus, ServedContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { EventType } from '@yardarm/shared/contracts/events';
import { revisionHint } from '@yardarm/shared/contracts/flags';
import { appendEvents, type Database, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsTables } from '../db/schema.ts';
import { noteAuthors } from './authors.repo.ts';
import { raiseRevisions, type VisibleChange } from './revisions.repo.ts';

/** What a use case works with. */
export interface FlagsParts {
  db: Database<FlagsTables>;
  bus: Bus;
}

/** What happened to a flag, before it has its envelope. */
export interface FeatureEvent {
  type: EventType;
  environment?: string;
  data?: Record<string, unknown> | null;
  preData?: Record<string, unknown> | null;
}

/** What a caller did to a flag. */
export interface ToldChange {
  context: ServedContext;
  feature: { name: string; project: string };
  events: readonly FeatureEvent[];
}

/**
 * Runs a use case in one transaction. Its locks are taken in one order by all of them, so that no two wait for each other:
 * the flag's row, the row of the actor's names, and last of all the revisions, raised here for what the use case hands back.
 */
export async function recordChange<Answer>(
  { db, bus }: FlagsParts,
  decide: (trx: Transaction<FlagsTables>) => Promise<{ answer: Answer; visible: readonly VisibleChange[] }>,
): Promise<Answer> {
  return await db.transaction(async (trx) => {
    const { answer, visible } = await decide(trx);
    if (visible.length > 0) {
      raiseRevisions(trx, visible, (raised) => {
        trx.onCommit(() => {
          for (const revision of raised) bus.hint(revisionHint, revision);
        });
      });
    }
    return answer;
  });
}

/** Appends events of flags to the outbox, in their order, and notes who changed them. The flags' rows are locked by the caller. */
export async function tell(trx: Transaction<FlagsTables>, changes: readonly ToldChange[]): Promise<void> {
  const tags = await noteAuthors(
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
        orderingKey: `feature:${feature.name}`,
        requestId: context.requestId,
        traceparent: context.traceparent,
      };
      return events.map((event) => ({ ...event, ...common }));
    }),
  );
}

/** Who asks; serve has refused a request without an actor where the contract names a permission. */
export function actorOf(context: ServedContext): Actor {
  if (context.actor === null) throw new AppError('no-access', 'This needs an actor.');
  return context.actor;
}
