import type { Bus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/signals';
import { type Database, serveOutbox } from '@yardarm/shared/db';
import { admitSignal } from './admissions/admissions.handlers.ts';
import type { SignalsTables } from './db/schema.ts';
import { createSignalEndpointToken } from './endpoint-tokens/create-signal-endpoint-token.ts';
import { listSignalEndpointTokens } from './endpoint-tokens/endpoint-tokens.handlers.ts';
import { createSignalEndpoint } from './endpoints/create-signal-endpoint.ts';
import { listSignalEndpoints, resolveSignalToken } from './endpoints/endpoints.handlers.ts';
import { listEndpointSignals } from './signals/list-endpoint-signals.ts';

/** What the handlers stand on. */
export interface SignalsParts {
  bus: Bus;
  db: Database<SignalsTables>;
  ratePerSecond: number;
  endpointLimit: number;
  tokenLimit: number;
}

/** Every request that signals answers. */
export function serveSignals(parts: SignalsParts): void {
  const { bus, db } = parts;
  bus.serve(contracts.createSignalEndpoint, (input, context) => createSignalEndpoint(parts, input, context));
  bus.serve(contracts.listSignalEndpoints, () => listSignalEndpoints(db));
  bus.serve(contracts.createSignalEndpointToken, (input, context) => createSignalEndpointToken(parts, input, context));
  bus.serve(contracts.listSignalEndpointTokens, (input) => listSignalEndpointTokens(db, input));
  bus.serveMany(contracts.listEndpointSignals, (input) => listEndpointSignals(db, input));
  bus.serve(contracts.resolveSignalToken, (input) => resolveSignalToken(db, input));
  bus.serve(contracts.admitSignal, (input) => admitSignal(parts, input));
  serveOutbox(bus, db);
}
