import { z } from 'zod';
import { request } from '../contract.ts';

/**
 * The payload of a signal: any JSON, or null when the sender sent no body. It was already parsed from JSON, so there is
 * nothing left to check. Walking through it again would be most of the work of accepting a signal.
 */
export const signalPayloadSchema = z.unknown().meta({ examples: [{ alert: 'error-rate', service: 'checkout' }] });

export const acceptedSignalSchema = z.object({
  id: z
    .number()
    .int()
    .min(1)
    .meta({ examples: [310] }),
  source: z.literal('signal-endpoint'),
  sourceId: z
    .number()
    .int()
    .meta({ examples: [2] }),
  createdBySourceTokenId: z
    .number()
    .int()
    .meta({ examples: [5] }),
  createdAt: z.iso.datetime(),
  payload: signalPayloadSchema,
});

/** The message id of a signal in SIGNALS, by which a reader of the headers alone knows the signal. */
export const signalMessageId = (signalId: number): string => `signal-${signalId}`;

/** Null for the message id of anything else. */
export function signalIdIn(messageId: string | null): number | null {
  const [, digits] = /^signal-([1-9]\d{0,14})$/.exec(messageId ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

export type AcceptedSignal = z.infer<typeof acceptedSignalSchema>;

/**
 * The same on SIGNALS, with the JSON text that the sender sent: parsed and written again, 1e400 would become null and
 * large integers would lose digits. Gateways of the release before send `payload`.
 */
export type PublishedSignal = Omit<AcceptedSignal, 'payload'> & { payloadText: string };

/** For the gateway's check of a sender. */
export const findSignalToken = request({
  name: 'signals.token.find',
  writes: false,
  summary: 'The token with this selector and its endpoint; null when it does not exist',
  input: z.object({ selector: z.string().max(100) }),
  output: z.object({
    token: z
      .object({
        id: z.number().int(),
        selector: z.string(),
        hash: z.string(),
        endpoint: z.object({ id: z.number().int(), name: z.string(), enabled: z.boolean() }),
      })
      .nullable(),
  }),
  permission: 'internal',
});

export const findExistingSignalSelectors = request({
  name: 'signals.token.find-existing',
  writes: false,
  summary: 'Those of the selectors that a token has, for gateways that get many unknown tokens',
  /** As many as gateways ask for at once. Signals finds them in some milliseconds. */
  input: z.object({ selectors: z.array(z.string().max(100)).max(1_000) }),
  output: z.object({ existing: z.array(z.string()) }),
  permission: 'internal',
});

export type SignalToken = NonNullable<z.infer<typeof findSignalToken.output>['token']>;

export const getSignal = request({
  name: 'signals.signal.get',
  writes: false,
  summary: 'A stored signal of this endpoint and token, with the JSON text of its payload; null when it is not stored',
  input: z.object({ endpointId: z.number().int(), tokenId: z.number().int(), id: z.number().int().min(1) }),
  output: z.object({
    signal: z.object({ createdAt: z.iso.datetime(), payloadText: z.string() }).nullable(),
  }),
  permission: 'internal',
});
