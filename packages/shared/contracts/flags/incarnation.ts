import { z } from 'zod';

/**
 * A project or an environment, which has a name as its id. The time of creation tells it from an earlier one with the
 * same id.
 */
export const incarnationSchema = z.object({
  kind: z.enum(['project', 'environment']),
  id: z.string(),
  createdAt: z.iso.datetime(),
});

export type Incarnation = z.infer<typeof incarnationSchema>;

/** From the data of `project-created` and the preData of `project-deleted`. */
export const projectIncarnationSchema = z
  .object({ id: z.string(), createdAt: z.iso.datetime() })
  .transform((project): Incarnation => ({ kind: 'project', ...project }));

/** The incarnation of a deleted environment, from the preData of `environment-deleted`. */
export const environmentIncarnationSchema = z
  .object({ name: z.string(), createdAt: z.iso.datetime() })
  .transform(({ name, createdAt }): Incarnation => ({ kind: 'environment', id: name, createdAt }));
