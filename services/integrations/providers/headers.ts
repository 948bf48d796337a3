import { customHeadersOf } from './parameters.ts';
import type { Parameters } from './provider.ts';

/** The headers of a JSON body to a vendor: `own` ones, and the integration's, which replace ours. */
export function jsonHeaders(parameters: Parameters, own: Record<string, string> = {}): Record<string, string> {
  return {
    'user-agent': 'yardarm',
    'content-type': 'application/json; charset=utf-8',
    ...own,
    ...customHeadersOf(parameters),
  };
}
