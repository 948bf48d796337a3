import * as contracts from '@yardarm/shared/contracts/signals';
import { type ServiceRig, startServiceRig } from '@yardarm/testing/service-rig';
import type { z } from 'zod';
import { loadSignalsConfig } from '../config.ts';
import { startSignals } from '../service.ts';

export { admin, contextOf, race } from '@yardarm/testing/callers';

export interface SignalsRig extends ServiceRig<Parameters<typeof startSignals>[2]> {
  createEndpoint(
    name: string,
    over?: Omit<z.input<typeof contracts.createSignalEndpoint.input>, 'name'>,
  ): Promise<contracts.SignalEndpoint>;
  createToken(signalEndpointId: number, name: string): Promise<contracts.SignalEndpointToken>;
  /** The hints of signals since the rig started. */
  hints: { endpointChanged: number[]; tokenChanged: string[] };
}

/** Starts the rig. `settings` are those of its service and of all replicas. */
export async function startSignalsRig(settings: Record<string, string> = {}): Promise<SignalsRig> {
  const hints: SignalsRig['hints'] = { endpointChanged: [], tokenChanged: [] };
  const rig = await startServiceRig<Parameters<typeof startSignals>[2]>({
    ...{ name: 'signals', settings },
    start: (all, log, overrides) => startSignals(loadSignalsConfig(all), log, overrides),
    prepare(bus) {
      bus.onHint(contracts.signalEndpointChangedHint, ({ endpointId }) => void hints.endpointChanged.push(endpointId));
      bus.onHint(contracts.signalTokenChangedHint, ({ selector }) => void hints.tokenChanged.push(selector));
    },
  });
  return {
    ...rig,
    hints,
    createEndpoint: (name, over = {}) => rig.ask(contracts.createSignalEndpoint, { name, ...over }),
    createToken: (signalEndpointId, name) => rig.ask(contracts.createSignalEndpointToken, { signalEndpointId, name }),
  };
}
