import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { clientFeatureSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { ConcurrencyLimit, whenThere } from '@yardarm/shared/waiting';
import { z } from 'zod';
import { type BytesReply, type Route, route } from '../../routing/route.ts';
import { inOneSlice, TimeShares } from '../../time-shares.ts';
import type { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import type { SegmentFormat } from '../snapshots/scope.ts';
import { snapshotOf } from '../snapshots/snapshot-of.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { ScopeViews } from '../snapshots/views.ts';
import type { SdkStreams } from '../streaming/sdk-streams.ts';
import { deltaSchema, listingSchema } from './client-schemas.ts';
import { type ConditionalRead, cacheHeaders, reply } from './conditional-reply.ts';
import { filteredScope, filtersQuery, isFiltered, scopeOfToken } from './filters.ts';
import { segmentFormatOf } from './negotiation.ts';

type Header = ConditionalRead['header'];

const specHeader = {
  'Unleash-Client-Spec':
    'The version of the client specification that the SDK implements; from 4.2.2, segments are sent beside the flags',
};

/**
 * Each filter has a listing of its own, and to make one of a large environment takes tens of milliseconds. So those of
 * a token come in turns. Without a filter, all readers of the same projects share one, which is made once a change.
 */
const filteredShares = {
  // A listing of 1,000 ordinary flags takes 1 ms.
  restFromMs: 5,
  // `maxFilteredBodies` bounds them.
  maxWaiting: Number.POSITIVE_INFINITY,
  works: 'filtered listings',
};

/**
 * A filtered listing is in memory once plain and once compressed, until it is sent. So a token has one at a time from
 * its making until it is compressed, and all tokens have two: the pool has four threads, and other answers need some.
 */
const maxFilteredBodies = 2;

/**
 * A body that is made for one reader is copied, and its memory is given back: 17 MB stop the process for 11 ms in all.
 * So its token waits, and takes an eighth of the process. A reader with a new filter waits 10 ms for a megabyte.
 */
const ownBytesPerMs = 100_000;

const formatOf = (header: Header) => segmentFormatOf(header('unleash-client-spec'));

export function clientRoutes(snapshots: Snapshots, views: ScopeViews, streams: SdkStreams): Route[] {
  const shares = new TimeShares(filteredShares);
  const bodies = new ConcurrencyLimit(maxFilteredBodies, 'Other filtered listings took all of the time.', {
    maxOfActor: 1,
  });

  /** Makes the answers with a body of a token in turns. */
  function inTurnOf(key: string, deadline: number): ConditionalRead['inTurn'] {
    return (make) =>
      bodies.run({ key, deadline }, async () => {
        const { body, reply } = await shares.run(key, deadline, inOneSlice(make));
        const answer = await reply;
        if (body.isForOne) await sleep(body.plain.length / ownBytesPerMs);
        return answer;
      });
  }

  function polled(format: (header: Header) => SegmentFormat, bodyOf: ConditionalRead['bodyOf']) {
    const readOf = (header: Header) => {
      const connectionId = header('unleash-connection-id');
      const offerStream = () => streams.offerStream(connectionId);
      return { header, bodyOf, mayOfferStream: streams.mayOfferStream(connectionId), offerStream };
    };
    return {
      ...{ method: 'get', tag: 'Client', audience: 'client', query: filtersQuery, errors: ['unavailable'] },
      isHot: true,
      handle({ query, token, header, context: { deadline } }) {
        const scope = filteredScope(token!, query, format(header));
        return whenThere(snapshotOf(snapshots, token!), (snapshot) => {
          const catchUp = () => snapshots.catchUp(snapshot);
          const read: ConditionalRead = readOf(header);
          if (isFiltered(query)) read.inTurn = inTurnOf(String(token!.id), deadline);
          return reply(() => views.of(snapshot, scope), catchUp, read);
        });
      },
    } satisfies Partial<Parameters<typeof route<z.ZodType, typeof filtersQuery, z.ZodType>>[0]>;
  }

  return [
    route({
      ...polled(formatOf, (view) => view.listing()),
      path: '/api/client/features',
      operationId: 'getAllClientFeatures',
      answerName: 'clientFeaturesSchema',
      summary: "Every flag of the token's environment and projects, as SDKs evaluate them",
      headers: { 'If-None-Match': 'The ETag of the answer that the SDK has: 304 while it is current', ...specHeader },
      answer: { status: 200, schema: listingSchema, headers: { etag: 'The position of the listing and its coding' } },
    }),
    route({
      ...polled(
        () => 'separate',
        (view, relation) =>
          relation.kind === 'older' || relation.kind === 'same' ? view.deltaSince(relation.revision) : view.hydration(),
      ),
      path: '/api/client/delta',
      operationId: 'getDelta',
      summary: 'What is newer than the ETag that the SDK has, as events; without one, everything as a hydration',
      headers: { 'If-None-Match': 'The ETag of the answer that the SDK has: 304 while nothing is newer' },
      answer: { status: 200, schema: deltaSchema, headers: { etag: 'The position after the events' } },
    }),
    route({
      method: 'get',
      path: '/api/client/features/:featureName',
      operationId: 'getClientFeature',
      summary: 'One flag, with the same data as in the listing',
      tag: 'Client',
      audience: 'client',
      params: z.object({ featureName: z.string() }),
      headers: specHeader,
      answer: { status: 200, schema: clientFeatureSchema },
      errors: ['not-found', 'unavailable'],
      isHot: true,
      handle({ params: { featureName }, token, header }) {
        return whenThere(snapshotOf(snapshots, token!), (snapshot) =>
          toFlag(snapshot, featureName, token!, formatOf(header)),
        );
      },
    }),
  ];
}

function toFlag(snapshot: EnvironmentSnapshot, name: string, token: ResolvedToken, format: SegmentFormat): BytesReply {
  const flag = snapshot.flag(name);
  if (!flag || !scopeOfToken(token, format).includes(flag))
    throw new AppError('not-found', `Could not find the feature "${name.slice(0, 100)}".`);
  return { status: 200, body: snapshot.bytesOf(flag, format), headers: cacheHeaders };
}
