import { serveUseCases } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/signals';
import { serveOutbox } from '@yardarm/shared/db';
import { admitSignal } from './admissions/admissions.handlers.ts';
import { createSignalEndpointToken } from './endpoint-tokens/create-signal-endpoint-token.ts';
import { deleteSignalEndpointToken } from './endpoint-tokens/delete-signal-endpoint-token.ts';
import { listSignalEndpointTokens } from './endpoint-tokens/endpoint-tokens.handlers.ts';
import { updateSignalEndpointToken } from './endpoint-tokens/update-signal-endpoint-token.ts';
import { createSignalEndpoint } from './endpoints/create-signal-endpoint.ts';
import { deleteSignalEndpoint } from './endpoints/delete-signal-endpoint.ts';
import { listSignalEndpoints, resolveSignalToken } from './endpoints/endpoints.handlers.ts';
import { switchSignalEndpoint, updateSignalEndpoint } from './endpoints/update-signal-endpoint.ts';
import type { SignalsResources } from './resources.ts';
import { listEndpointSignals } from './signals/list-endpoint-signals.ts';

export function serveSignals(resources: SignalsResources): void {
  const { serve, serveMany } = serveUseCases(resources);
  serve(contracts.createSignalEndpoint, createSignalEndpoint);
  serveMany(contracts.listSignalEndpoints, listSignalEndpoints);
  serve(contracts.updateSignalEndpoint, updateSignalEndpoint);
  serve(contracts.switchSignalEndpoint, switchSignalEndpoint);
  serve(contracts.deleteSignalEndpoint, deleteSignalEndpoint);
  serve(contracts.createSignalEndpointToken, createSignalEndpointToken);
  serveMany(contracts.listSignalEndpointTokens, listSignalEndpointTokens);
  serve(contracts.updateSignalEndpointToken, updateSignalEndpointToken);
  serve(contracts.deleteSignalEndpointToken, deleteSignalEndpointToken);
  serveMany(contracts.listEndpointSignals, listEndpointSignals);
  serve(contracts.resolveSignalToken, resolveSignalToken);
  serve(contracts.admitSignal, admitSignal);
  serve(contracts.getSignalsLimits, async ({ endpointLimit, tokenLimit }) => ({
    signalEndpoints: endpointLimit,
    signalTokensPerEndpoint: tokenLimit,
  }));
  serveOutbox(resources.bus, resources.db);
}
