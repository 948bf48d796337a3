import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { clientFeatureSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { type BytesReply, type Route, route } from '../http/route.ts';
import { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { Views } from '../snapshots/views.ts';
import { listingSchema } from './client-schemas.ts';
import { type BodyOf, cacheHeaders, reply, replyNow } from './conditional-reply.ts';
import { filteredScope, filtersQuery, scopeOfToken } from './filters.ts';
import { segmentFormatOf } from './negotiation.ts';

/** An environment that does not exist has no flags. */
const none = new EnvironmentSnapshot('');

const specHeader = {
  'Unleash-Client-Spec':
    'The version of the client specification that the SDK implements; from 4.2.0, segments are sent beside the flags',
};

const listingOf: BodyOf = (view) => view.listing();

export function clientRoutes(snapshots: Snapshots, views: Views): Route[] {
  /** The snapshot of the token's environment. */
  async function snapshotOf({ environment }: ResolvedToken): Promise<EnvironmentSnapshot> {
    const fault = snapshots.fault();
    if (fault !== null)
      throw new AppError('unavailable', `The flags are not loaded yet: ${fault}`, { retryAfterSeconds: 1 });
    return (await snapshots.of(environment ?? '')) ?? none;
  }

  return [
    route({
      method: 'get',
      path: '/api/client/features',
      operationId: 'getAllClientFeatures',
      summary: "Every flag of the token's environment and projects, as SDKs evaluate them",
      tag: 'Client',
      audience: 'client',
      query: filtersQuery,
      headers: {
        'If-None-Match': 'The ETag of the answer that the client has: 304 while it is current',
        ...specHeader,
      },
      answer: { status: 200, schema: listingSchema, headers: { etag: 'The position of the listing and its coding' } },
      errors: ['unavailable'],
      answerNow({ token, header }) {
        const snapshot = snapshots.now(token!.environment ?? '');
        if (!snapshot) return null;
        const scope = scopeOfToken(token!, segmentFormatOf(header('unleash-client-spec')));
        return replyNow(views.of(snapshot, scope), header, listingOf);
      },
      async handle({ query, token, header }) {
        const scope = filteredScope(token!, query, segmentFormatOf(header('unleash-client-spec')));
        const snapshot = await snapshotOf(token!);
        return reply(
          () => views.of(snapshot, scope),
          () => snapshots.catchUp(snapshot),
          header,
          listingOf,
        );
      },
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
      answerNow({ params, token, header }) {
        const snapshot = snapshots.now(token!.environment ?? '');
        return snapshot && toFlag(snapshot, params.featureName, token!, header('unleash-client-spec'));
      },
      async handle({ params: { featureName }, token, header }) {
        const flag = toFlag(await snapshotOf(token!), featureName, token!, header('unleash-client-spec'));
        if (!flag) throw new AppError('not-found', `Could not find the feature "${featureName.slice(0, 100)}".`);
        return flag;
      },
    }),
  ];
}

function toFlag(
  snapshot: EnvironmentSnapshot,
  name: string,
  token: ResolvedToken,
  clientSpec: string | undefined,
): BytesReply | null {
  const format = segmentFormatOf(clientSpec);
  const flag = snapshot.flag(name);
  if (!flag || !scopeOfToken(token, format).includes(flag)) return null;
  return { status: 200, body: snapshot.bytesOf(flag, format), headers: cacheHeaders };
}
