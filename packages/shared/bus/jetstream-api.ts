import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { AppError, coerceError } from '../errors/index.ts';
import type { Connection } from './connection.ts';
import { failureOf, unavailable } from './failures.ts';

/** What streams.ts and consumers.ts ask the server. */
export interface JetStreamApi {
  manager: JetStreamManager;
  /**
   * Runs a request of the manager. Null when the stream or consumer does not exist. Throws `unavailable` for any other
   * error, with the sentence that `what` begins.
   */
  call<T>(what: string, run: () => Promise<T>): Promise<T | null>;
}

export async function createJetStreamApi(connection: Connection): Promise<JetStreamApi> {
  return {
    manager: await jetstreamManager(connection.nc, { checkAPI: false }),
    async call(what, run) {
      connection.requireConnected();
      try {
        return await connection.whileConnected(run());
      } catch (error) {
        if (isNotFound(error)) return null;
        if (error instanceof AppError) throw error;
        const reason = failureOf(error) === 'other' ? coerceError(error).message : 'JetStream does not answer';
        throw unavailable(`${what}: ${reason}.`, error);
      }
    },
  };
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  return error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound;
}
