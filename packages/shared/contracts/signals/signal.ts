import { z } from 'zod';
import { request } from '../contract.ts';

/**
 * The payload of a signal: any JSON, or null when the sender sent no body. It was already parsed from JSON, so there is
 * nothing left to check. Walking through it again would be most of the work of accepting a signal.
 */
export const signalPayloadSchema = z.unknown().meta({ examples: [{ alert: 'error-rate', service: 'checkout' }] });

/** A signal as the gateway publishes it on `signal.<endpoint id>` and the consumer stores it. */
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

export type AcceptedSignal = z.infer<typeof acceptedSignalSchema>;

/** For the gateway's check of a sender. The token may belong to any endpoint. */
export const resolveSignalToken = request({
  name: 'signals.token.resolve',
  summary:
    'The endpoint of this name, and the token with this selector and its endpoint; each is null when it does not exist',
  input: z.object({ endpointName: z.string().max(200), selector: z.string().max(100) }),
  output: z.object({
    endpoint: z.object({ id: z.number().int(), enabled: z.boolean() }).nullable(),
    token: z
      .object({ id: z.number().int(), selector: z.string(), hash: z.string(), endpointId: z.number().int() })
      .nullable(),
  }),
  permission: 'internal',
});

export const admitSignal = request({
  name: 'signals.admission.take',
  summary:
    "Admits one signal within an endpoint's rate, counted for all gateways by the database's clock, and assigns its id",
  input: z.object({ endpointId: z.number().int() }),
  output: z.discriminatedUnion('admitted', [
    z.object({ admitted: z.literal(true), id: z.number().int().min(1) }),
    z.object({ admitted: z.literal(false), retryAfterMs: z.number().int().min(1) }),
  ]),
  errors: ['not-found'],
  permission: 'internal',
});
