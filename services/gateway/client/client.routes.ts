import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { clientFeatureSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { type BytesReply, type Route, route } from '../http/route.ts';
import { EnvironmentSnapshot, type ListingQuery } from '../snapshots/environment-snapshot.ts';
import { isNotModified } from '../snapshots/is-not-modified.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };

const oneOrMany = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .optional();

export function clientRoutes(snapshots: Snapshots): Route[] {
  /** The snapshot of the token's environment. An environment that does not exist has no flags. */
  async function snapshotOf(token: ResolvedToken | null): Promise<EnvironmentSnapshot> {
    const fault = snapshots.fault();
    if (fault !== null)
      throw new AppError('unavailable', `The flags are not loaded yet: ${fault}`, { retryAfterSeconds: 1 });
    const environment = token?.environment ?? '';
    return (await snapshots.of(environment)) ?? new EnvironmentSnapshot(environment);
  }

  const snapshotNow = (token: ResolvedToken | null) => snapshots.now(token?.environment ?? '');

  return [
    route({
      method: 'get',
      path: '/api/client/features',
      operationId: 'getAllClientFeatures',
      summary: "Every flag of the token's environment and projects, as SDKs evaluate them",
      tag: 'Client',
      audience: 'client',
      query: z.object({ namePrefix: z.string().max(100).optional(), project: oneOrMany }),
      answer: {
        status: 200,
        schema: z.object({
          version: z.literal(2),
          features: z.array(clientFeatureSchema),
          query: z
            .object({
              project: z.array(z.string()),
              environment: z.string(),
              namePrefix: z.string().optional(),
              inlineSegmentConstraints: z.literal(true),
            })
            .meta({ examples: [{ project: ['*'], environment: 'development', inlineSegmentConstraints: true }] }),
          meta: z
            .object({ revisionId: z.number().int(), etag: z.string(), queryHash: z.string() })
            .meta({ examples: [{ revisionId: 12, etag: '"5e3a9c01:12:8f14e45f"', queryHash: '5e3a9c01' }] }),
        }),
      },
      errors: ['unavailable'],
      answerNow({ token, header }) {
        const snapshot = snapshotNow(token);
        return snapshot && toListing(snapshot, { projects: token?.projects ?? [] }, header('if-none-match'));
      },
      async handle({ query: { project, namePrefix }, token, header }) {
        const projects = narrowProjects(token?.projects ?? [], project);
        return toListing(await snapshotOf(token), { projects, namePrefix }, header('if-none-match'));
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
      answer: { status: 200, schema: clientFeatureSchema },
      errors: ['not-found', 'unavailable'],
      answerNow: ({ params, token }) => toFlag(snapshotNow(token), params.featureName, token),
      async handle({ params: { featureName }, token }) {
        const reply = toFlag(await snapshotOf(token), featureName, token);
        if (!reply) throw new AppError('not-found', `Could not find the feature "${featureName.slice(0, 100)}".`);
        return reply;
      },
    }),
  ];
}

const cacheHeaders = { ...json, 'cache-control': 'no-cache', vary: 'Authorization' };

function toListing(snapshot: EnvironmentSnapshot, query: ListingQuery, ifNoneMatch: string | undefined): BytesReply {
  const etag = snapshot.etag(query);
  if (isNotModified(ifNoneMatch, etag)) return { status: 304, headers: { etag, vary: 'Authorization' } };
  return { status: 200, body: snapshot.listing(query), headers: { ...cacheHeaders, etag } };
}

function toFlag(snapshot: EnvironmentSnapshot | null, name: string, token: ResolvedToken | null): BytesReply | null {
  const body = snapshot?.flag(name, token?.projects ?? []);
  return body ? { status: 200, body, headers: cacheHeaders } : null;
}

/** The projects of a token that the query names, or all of them without a query. */
function narrowProjects(projects: readonly string[], named: readonly string[] | undefined): readonly string[] {
  if (named === undefined) return projects;
  return projects.includes('*') ? named : named.filter((project) => projects.includes(project));
}
