import { z } from 'zod';

/** A day as a filter, such as 2026-01-31. Postgres has no year 0. */
export const daySchema = z.iso.date().refine((value) => value >= '0001-01-01', 'should be after the year 0');
