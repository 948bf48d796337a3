import { z } from 'zod';
import { request } from '../contract.ts';

export const addFavoriteFeature = request({
  name: 'flags.feature.add-favorite',
  writes: true,
  summary: "Makes a flag one of the caller's favorites",
  input: z.object({ projectId: z.string(), featureName: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const removeFavoriteFeature = request({
  name: 'flags.feature.remove-favorite',
  writes: true,
  summary: "Makes a flag none of the caller's favorites",
  input: z.object({ projectId: z.string(), featureName: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'authenticated',
});
