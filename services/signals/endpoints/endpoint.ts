import type { SignalEndpoint } from '@yardarm/shared/contracts/signals';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { type StoredEndpointToken, toSignalEndpointToken } from '../endpoint-tokens/endpoint-token.ts';

/** What an administrator chooses of an endpoint. */
export interface EndpointDefinition {
  name: string;
  enabled: boolean;
  description: string | null;
  /** The rate of the endpoint; null for that of the setting. */
  ratePerSecond: number | null;
}

export interface StoredEndpoint extends EndpointDefinition {
  id: number;
  createdAt: Date;
  createdByUserId: number;
}

export function toSignalEndpoint(stored: StoredEndpoint, tokens: readonly StoredEndpointToken[]): SignalEndpoint {
  return {
    ...stored,
    createdAt: stored.createdAt.toISOString(),
    tokens: tokens.map((token) => toSignalEndpointToken(token)),
  };
}

export function endpointEventData(stored: StoredEndpoint): Record<string, unknown> {
  return { ...stored, createdAt: stored.createdAt.toISOString() };
}

export function isSameDefinition(a: EndpointDefinition, b: EndpointDefinition): boolean {
  return (
    a.name === b.name &&
    a.enabled === b.enabled &&
    a.description === b.description &&
    a.ratePerSecond === b.ratePerSecond
  );
}

export function requireBelowEndpointLimit(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError('limit-exceeded', `There are already ${count} signal endpoints; there can be at most ${limit}.`);
}

export function endpointNameTaken(name: string): AppError {
  return new AppError(
    'name-exists',
    `There is already a signal endpoint with the name ${redactValue(name, ['name'])}.`,
  );
}

export function endpointNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the signal endpoint with ID "${id}".`);
}

/** Events of an endpoint and of its tokens share a key, so they keep their order. */
export function endpointOrderingKey(endpointId: number): string {
  return `signal-endpoint:${endpointId}`;
}
