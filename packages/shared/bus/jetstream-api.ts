import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { AppError, coerceError } from '../errors/index.ts';
import type { Connection } from './connection.ts';
import { failureOf, unavailable } from './failures.ts';

export type JetStreamApi = Awaited<ReturnType<typeof createJetStreamApi>>;

/** What streams.ts and consumers.ts ask the server. */
export async function createJetStreamApi(connection: Connection) {
  const manager = await jetstreamManager(connection.nc, { checkAPI: false });
  /** Runs a request of the manager. Null without the stream or consumer. Other errors are AppErrors about `what`. */
  async function call<T>(what: string, run: () => Promise<T>): Promise<T | null> {
    connection.requireConnected();
    try {
      return await connection.whileConnected(run());
    } catch (error) {
      if (isNotFound(error)) return null;
      if (error instanceof AppError) throw error;
      const reason = failureOf(error) === 'other' ? coerceError(error).message : 'JetStream does not answer';
      throw unavailable(`${what}: ${reason}.`, error);
    }
  }
  return { manager, call };
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  return error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound;
}
