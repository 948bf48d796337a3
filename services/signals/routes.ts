import { serveUseCases } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/signals';
import { serveOutbox } from '@yardarm/shared/db';
import { admitSignal } from './admissions/admissions.handlers.ts';
import { createSignalEndpointToken } from './endpoint-tokens/create-signal-endpoint-token.ts';
import { listSignalEndpointTokens } from './endpoint-tokens/endpoint-tokens.handlers.ts';
import { createSignalEndpoint } from './endpoints/create-signal-endpoint.ts';
import { listSignalEndpoints, resolveSignalToken } from './endpoints/endpoints.handlers.ts';
import type { SignalsResources } from './resources.ts';
import { listEndpointSignals } from './signals/list-endpoint-signals.ts';

export function serveSignals(resources: SignalsResources): void {
  const { serve, serveMany } = serveUseCases(resources);
  serve(contracts.createSignalEndpoint, createSignalEndpoint);
  serve(contracts.listSignalEndpoints, listSignalEndpoints);
  serve(contracts.createSignalEndpointToken, createSignalEndpointToken);
  serve(contracts.listSignalEndpointTokens, listSignalEndpointTokens);
  serveMany(contracts.listEndpointSignals, listEndpointSignals);
  serve(contracts.resolveSignalToken, resolveSignalToken);
  serve(contracts.admitSignal, admitSignal);
  serve(contracts.getSignalsLimits, async ({ endpointLimit, tokenLimit }) => ({
    signalEndpoints: endpointLimit,
    signalTokensPerEndpoint: tokenLimit,
  }));
  serveOutbox(resources.bus, resources.db);
}
