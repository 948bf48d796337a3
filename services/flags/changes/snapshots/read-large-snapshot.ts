import { encodeParts, type Frame, readAhead, type ServedContext, splitIntoPieces } from '@yardarm/shared/bus';
import { fetchSnapshot as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { ConcurrencyLimit, TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { runLongRead } from '../../connections.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import type { FlagsResources } from '../../resources.ts';
import { findFlagsByName, findSegmentUses, findSizedState, type SizedState } from './portions.repo.ts';
import { readChanges } from './snapshot.ts';

/**
 * What one statement reads. A megabyte takes some 15 ms to read, so that statements are few and none is long. The
 * number of flags bounds it also for flags whose sizes a release before the sizes has not counted.
 */
const portionLimits = { bytes: 1_000_000, items: 1_000 };

/**
 * A gateway that loads a large environment occupies a connection for seconds to minutes. Two leave connections to other
 * long reads, and occupy the CPU of Postgres. The gateways that wait ask again.
 */
const largeSnapshots = new ConcurrencyLimit(2, 'Too many gateways load a large environment.');

/**
 * The changes of an environment of any size, in frames. One transaction reads them in portions, so all are of one
 * moment. At most two portions are in memory: one that is sent and the next one. So a slow gateway occupies a
 * connection. When it takes nothing for 10 s, Postgres ends the transaction and the answer.
 */
export function readLargeSnapshot(
  resources: Pick<FlagsResources, 'db' | 'longReads'>,
  { environment, known }: z.output<typeof contract.input>,
  context: ServedContext,
): AsyncGenerator<Frame> {
  return readAhead(
    (push, taken) =>
      runLongRead(largeSnapshots, resources, context, () =>
        resources.db.transaction(
          async (trx) => {
            const slicer = new TimeSlicer({ deadline: Number.POSITIVE_INFINITY });
            for await (const frames of framesOf(trx, environment, known)) {
              for (const frame of frames) {
                push(frame);
                await slicer.next();
              }
              await taken();
            }
          },
          // Only reads, which collide with nothing: it never runs again and pushes a frame twice.
          { isolation: 'repeatable read', readOnly: true },
        ),
      ),
    context,
  );
}

/** The frames of each portion, which are made when they are asked for. */
async function* framesOf(
  trx: Transaction<FlagsTables>,
  environment: string,
  known: z.output<typeof contract.input>['known'],
): AsyncGenerator<Iterable<Frame>> {
  const { changed, removed, changedSegments, removedSegments, ...about } = await readChanges(known, async (since) =>
    requireSizedState(trx, environment, since),
  );
  const empty = { ...about, removed: [], changedSegments: [], removedSegments: [] };
  yield encodeParts(contract, [], empty);
  for (const piece of splitIntoPieces(removed)) yield encodeParts(contract, [], { ...empty, removed: piece });
  for (const piece of splitIntoPieces(removedSegments.map(({ id, project }) => ({ id, project }))))
    yield encodeParts(contract, [], { ...empty, removedSegments: piece });
  const flags = inPortions(changed, (portion) =>
    findFlagsByName(
      trx,
      environment,
      portion.map(({ name }) => name),
    ),
  );
  for await (const portion of flags) yield encodeParts(contract, portion, empty);
  const segments = inPortions(changedSegments, (portion) => findSegmentUses(trx, environment, portion));
  for await (const portion of segments)
    for (const piece of splitIntoPieces(portion)) yield encodeParts(contract, [], { ...empty, changedSegments: piece });
}

async function requireSizedState(
  trx: Transaction<FlagsTables>,
  environment: string,
  since: Parameters<typeof findSizedState>[2],
): Promise<SizedState> {
  const state = await findSizedState(trx, environment, since);
  if (state === null) throw environmentNotFound(environment);
  return state;
}

/** What `read` returns for each portion. Postgres reads the next portion while the caller uses one. */
async function* inPortions<Sized extends { bytes: number }, Row>(
  items: readonly Sized[],
  read: (portion: Sized[]) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const portions = splitIntoPieces(items, portionLimits, ({ bytes }) => bytes);
  const begin = () => {
    const portion = portions.shift();
    const answer = portion && read(portion);
    // Its error is thrown where it is awaited, which may be never.
    answer?.catch(() => {});
    return answer;
  };
  for (let answer = begin(); answer; ) {
    const rows = await answer;
    answer = begin();
    yield rows;
  }
}
