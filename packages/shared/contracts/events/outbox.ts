import { z } from 'zod';
import { request } from '../contract.ts';

export const publishers = ['accounts', 'flags', 'integrations', 'signals'] as const;

export type Publisher = (typeof publishers)[number];

/** The subject of an event in EVENTS. Only its source may publish there. */
export const eventSubject = ({ source, type }: { source: string; type: string }): string => `evt.${source}.${type}`;

function publishPendingOf(service: Publisher) {
  return request({
    name: `${service}.outbox.publish-pending`,
    writes: 'in-maintenance',
    summary: 'Answers once EVENTS contains every event of the changes that were committed before the request',
    input: z.object({}),
    output: z.object({
      /** Of the EVENTS stream that contains them, which may be lost since; null if nothing was ever published. */
      incarnation: z.string().nullable(),
    }),
    permission: 'internal',
    callers: ['events'],
  });
}

export const publishPendingOfAccounts = publishPendingOf('accounts');
export const publishPendingOfFlags = publishPendingOf('flags');
export const publishPendingOfIntegrations = publishPendingOf('integrations');
export const publishPendingOfSignals = publishPendingOf('signals');

export const publishPending = {
  accounts: publishPendingOfAccounts,
  flags: publishPendingOfFlags,
  integrations: publishPendingOfIntegrations,
  signals: publishPendingOfSignals,
} as const satisfies Record<Publisher, unknown>;
