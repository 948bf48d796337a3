import { customHeadersOf } from './parameters.ts';
import type { Parameters } from './provider.ts';

/** The headers of a JSON request to a vendor. The integration's own headers replace ours. */
export function jsonHeaders(parameters: Parameters, own: Record<string, string> = {}): Record<string, string> {
  return {
    'user-agent': 'yardarm',
    'content-type': 'application/json; charset=utf-8',
    ...own,
    ...customHeadersOf(parameters),
  };
}
