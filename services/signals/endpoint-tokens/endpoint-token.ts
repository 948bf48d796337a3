import type { SignalEndpointToken } from '@yardarm/shared/contracts/signals';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** The stored form of a token, without its secret. */
export interface StoredEndpointToken {
  id: number;
  name: string;
  endpointId: number;
  /** The part of the token that finds the row. It is no secret. */
  selector: string;
  createdAt: Date;
  createdByUserId: number;
}

/** The secret is known only at creation. */
export function toSignalEndpointToken(stored: StoredEndpointToken, secret?: string): SignalEndpointToken {
  const { id, name, endpointId, createdAt, createdByUserId } = stored;
  const shape = { id, name, signalEndpointId: endpointId, createdAt: createdAt.toISOString(), createdByUserId };
  return secret === undefined ? shape : { ...shape, token: secret };
}

export function requireBelowTokenLimit(count: number, limit: number, endpointId: number): void {
  if (count < limit) return;
  throw new AppError(
    'limit-exceeded',
    `The signal endpoint with ID "${endpointId}" already has ${count} tokens; it can have at most ${limit}.`,
  );
}

export function tokenNameTaken(name: string, endpointId: number): AppError {
  return new AppError(
    'name-exists',
    `There is already a token with the name ${redactValue(name, ['name'])} for the signal endpoint with ID "${endpointId}".`,
  );
}

export function tokenNotFound(id: number, endpointId: number): AppError {
  return new AppError(
    'not-found',
    `Could not find the signal endpoint token with ID "${id}" of the signal endpoint with ID "${endpointId}".`,
  );
}
