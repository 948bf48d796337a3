import cors from 'cors';
import type { RequestHandler } from 'express';

/** The paths that browsers call from pages of other origins. Preflights need no token. */
export const crossOriginPaths = ['/api/frontend', '/ofrep'];

export interface CrossOrigin {
  /** The origins whose pages may use the routes at this moment; `*` is every origin. */
  origins(): readonly string[];
  /** How long a browser may keep the answer to a preflight. */
  maxAgeSeconds: number;
}

/**
 * Answers preflights, and lets pages of these origins read the other answers with their ETags. It never allows
 * credentials, so a page of another origin cannot use a cookie.
 */
export function allowCrossOrigin({ origins, maxAgeSeconds }: CrossOrigin): RequestHandler {
  return cors({
    origin: (_origin, allow) => allow(null, origins().includes('*') ? '*' : [...origins()]),
    methods: ['GET', 'POST'],
    exposedHeaders: ['ETag', 'Retry-After'],
    maxAge: maxAgeSeconds,
  });
}
