import type { Schemas } from '../api/client.ts';

/** An environment of the instance, with its numbers. */
export type Environment = Schemas['environmentsSchema']['environments'][number];
