import * as accounts from './accounts/index.ts';
import type { HintContract, RequestContract } from './contract.ts';
import * as events from './events/index.ts';
import * as flags from './flags/index.ts';
import * as gateway from './gateway/index.ts';
import * as integrations from './integrations/index.ts';
import { processStatus } from './process.ts';
import * as settings from './settings.ts';
import * as signals from './signals/index.ts';

type Contract = RequestContract | HintContract;

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'request' || value.kind === 'hint');

const contracts = [accounts, events, flags, gateway, integrations, signals, settings, processStatus]
  .flatMap((exported) => Object.values(exported) as unknown[])
  .filter(isContract)
  .sort((a, b) => a.name.localeCompare(b.name));

export const allRequests = contracts.filter((contract) => contract.kind === 'request');

export const allHints = contracts.filter((contract) => contract.kind === 'hint');
