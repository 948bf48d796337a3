import { randomUUID } from 'node:crypto';
import type { SignalsRig } from './signals-rig.ts';

export interface SentSignal {
  id: number;
  endpointId?: number;
  tokenId?: number;
  createdAt?: string;
  /** As gateways before `payloadText` send it: parsed. */
  payload?: unknown;
  /** JSON, as it was sent. */
  payloadText?: string;
}

/** Publishes as the gateway does. Each message has a new message id, even for the same signal. */
export async function sendSignals(rig: SignalsRig, ...signals: SentSignal[]): Promise<void> {
  for (const { id, endpointId = 1, tokenId = 1, createdAt = new Date().toISOString(), ...payload } of signals) {
    const signal = { id, source: 'signal-endpoint', sourceId: endpointId, createdBySourceTokenId: tokenId, createdAt };
    await rig.bus.publish(`signal.${endpointId}`, { ...signal, ...payload }, { msgId: randomUUID() });
  }
}

export async function storedIds(rig: SignalsRig): Promise<number[]> {
  return (await rig.rows<{ id: string }>('select id from signals.signals order by id')).map(({ id }) => Number(id));
}
