import type { SignalEndpoint } from '@yardarm/shared/contracts/signals';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { type StoredEndpointToken, toSignalEndpointToken } from '../endpoint-tokens/endpoint-token.ts';

/** A signal endpoint as it is stored. */
export interface StoredEndpoint {
  id: number;
  enabled: boolean;
  name: string;
  description: string | null;
  createdAt: Date;
  createdByUserId: number;
}

/** The wire shape. */
export function toSignalEndpoint(stored: StoredEndpoint, tokens: readonly StoredEndpointToken[]): SignalEndpoint {
  return {
    ...stored,
    createdAt: stored.createdAt.toISOString(),
    tokens: tokens.map((token) => toSignalEndpointToken(token)),
  };
}

/** What an event says of it. */
export function endpointEventData(stored: StoredEndpoint): Record<string, unknown> {
  return { ...stored, createdAt: stored.createdAt.toISOString() };
}

/** Throws `limit-exceeded` unless one more endpoint is allowed. */
export function requireRoomForEndpoint(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError('limit-exceeded', `There are already ${count} signal endpoints; there can be at most ${limit}.`);
}

/** `name-exists` of an endpoint. */
export function endpointNameTaken(name: string): AppError {
  return new AppError(
    'name-exists',
    `There is already a signal endpoint with the name ${redactValue(name, ['name'])}.`,
  );
}

/** `not-found` of an endpoint. */
export function endpointNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the signal endpoint with ID "${id}".`);
}

/** All that happens to an endpoint, its tokens included, is published in order. */
export function endpointOrderingKey(endpointId: number): string {
  return `signal-endpoint:${endpointId}`;
}
