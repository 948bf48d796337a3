import { serveUseCases } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/signals';
import { serveOutbox } from '@yardarm/shared/db';
import { describeActions, listActionSets } from './action-sets/action-sets.handlers.ts';
import { createActionSet } from './action-sets/create-action-set.ts';
import { deleteActionSet } from './action-sets/delete-action-set.ts';
import { switchActionSet } from './action-sets/switch-action-set.ts';
import { testActionSet } from './action-sets/test-action-set.ts';
import { updateActionSet } from './action-sets/update-action-set.ts';
import { takeAdmissions } from './admissions/take-admissions.ts';
import { createSignalEndpointToken } from './endpoint-tokens/create-signal-endpoint-token.ts';
import { deleteSignalEndpointToken } from './endpoint-tokens/delete-signal-endpoint-token.ts';
import { listSignalEndpointTokens } from './endpoint-tokens/endpoint-tokens.handlers.ts';
import { updateSignalEndpointToken } from './endpoint-tokens/update-signal-endpoint-token.ts';
import { createSignalEndpoint } from './endpoints/create-signal-endpoint.ts';
import { deleteSignalEndpoint } from './endpoints/delete-signal-endpoint.ts';
import { findExistingSignalSelectors, findSignalToken, listSignalEndpoints } from './endpoints/endpoints.handlers.ts';
import { switchSignalEndpoint, updateSignalEndpoint } from './endpoints/update-signal-endpoint.ts';
import { claimKey, findKey } from './keys/claim-key.ts';
import type { SignalsResources } from './resources.ts';
import { listActionRuns } from './runs/list-action-runs.ts';
import { getSignal } from './signals/get-signal.ts';
import { countSignals, findSignals, listEndpointSignals } from './signals/list-signals.ts';

export function serveSignals(resources: SignalsResources): void {
  const { serve } = serveUseCases(resources);
  serve(contracts.createSignalEndpoint, createSignalEndpoint);
  serve(contracts.listSignalEndpoints, listSignalEndpoints);
  serve(contracts.updateSignalEndpoint, updateSignalEndpoint);
  serve(contracts.switchSignalEndpoint, switchSignalEndpoint);
  serve(contracts.deleteSignalEndpoint, deleteSignalEndpoint);
  serve(contracts.createSignalEndpointToken, createSignalEndpointToken);
  serve(contracts.listSignalEndpointTokens, listSignalEndpointTokens);
  serve(contracts.updateSignalEndpointToken, updateSignalEndpointToken);
  serve(contracts.deleteSignalEndpointToken, deleteSignalEndpointToken);
  serve(contracts.listEndpointSignals, listEndpointSignals);
  serve(contracts.findSignals, findSignals);
  serve(contracts.countSignals, countSignals);
  serve(contracts.listActionRuns, listActionRuns);
  serve(contracts.getSignal, getSignal);
  serve(contracts.findSignalToken, findSignalToken);
  serve(contracts.findExistingSignalSelectors, findExistingSignalSelectors);
  serve(contracts.takeAdmissions, takeAdmissions);
  serve(contracts.claimKey, claimKey);
  serve(contracts.findKey, findKey);
  serve(contracts.createActionSet, createActionSet);
  serve(contracts.updateActionSet, updateActionSet);
  serve(contracts.deleteActionSet, deleteActionSet);
  serve(contracts.switchActionSet, switchActionSet);
  serve(contracts.listActionSets, listActionSets);
  serve(contracts.describeActions, describeActions);
  serve(contracts.testActionSet, testActionSet);
  serve(contracts.getSignalsLimits, async ({ endpointLimit, tokenLimit, actionSetLimits }) => ({
    signalEndpoints: endpointLimit,
    signalTokensPerEndpoint: tokenLimit,
    actionSetActions: actionSetLimits.actions,
    actionSetsPerProject: actionSetLimits.setsPerProject,
    actionSetFilters: actionSetLimits.filters,
    actionSetFilterValues: actionSetLimits.filterValues,
  }));
  serveOutbox(resources.bus, resources.db);
}
