import { z } from 'zod';
import { request } from '../contract.ts';

/** Services that publish what they do from an outbox. */
export const publishers = ['accounts', 'flags', 'integrations', 'signals'] as const;

export type Publisher = (typeof publishers)[number];

function publishPendingOf(service: Publisher) {
  return request({
    name: `${service}.outbox.publish-pending`,
    summary: 'Answers when EVENTS holds every event of a change that was committed before the request came in',
    input: z.object({}),
    output: z.object({
      /** Of the EVENTS that holds them, which may have been lost since; null while nothing was ever published. */
      incarnation: z.string().nullable(),
    }),
    permission: 'internal',
  });
}

export const publishPendingOfAccounts = publishPendingOf('accounts');
export const publishPendingOfFlags = publishPendingOf('flags');
export const publishPendingOfIntegrations = publishPendingOf('integrations');
export const publishPendingOfSignals = publishPendingOf('signals');

/** The same of every publisher. */
export const publishPending = {
  accounts: publishPendingOfAccounts,
  flags: publishPendingOfFlags,
  integrations: publishPendingOfIntegrations,
  signals: publishPendingOfSignals,
} as const satisfies Record<Publisher, unknown>;
