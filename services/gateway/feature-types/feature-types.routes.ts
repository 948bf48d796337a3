import { featureTypeSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { type BytesReply, type Route, route } from '../http/route.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';

const headers = { 'content-type': 'application/json; charset=utf-8' };

/** Answered from the gateway's own copy. */
export function featureTypeRoutes(snapshots: Snapshots): Route[] {
  function answerNow(): BytesReply | null {
    const body = snapshots.featureTypes();
    return body && { status: 200, headers, body };
  }

  return [
    route({
      method: 'get',
      path: '/api/admin/feature-types',
      operationId: 'getAllFeatureTypes',
      summary: 'The flag types with their lifetimes',
      tag: 'Feature types',
      audience: 'admin',
      answer: { status: 200, schema: z.object({ version: z.literal(1), types: z.array(featureTypeSchema) }) },
      errors: ['unavailable'],
      answerNow,
      async handle() {
        const reply = answerNow();
        if (reply) return reply;
        throw new AppError('unavailable', `The feature types are not loaded yet: ${snapshots.fault()}`, {
          retryAfterSeconds: 1,
        });
      },
    }),
  ];
}
