import { z } from 'zod';
import { hint, request } from '../contract.ts';

const timestamp = z.iso.datetime();

export const signalEndpointTokenSchema = z
  .object({
    id: z.number().int().min(1),
    name: z.string(),
    signalEndpointId: z.number().int(),
    createdAt: timestamp,
    createdByUserId: z.number().int(),
    /** The secret; only the answer that makes the token has it. */
    token: z.string().optional(),
  })
  .meta({
    id: 'signalEndpointTokenSchema',
    examples: [
      {
        id: 5,
        name: 'alertmanager',
        signalEndpointId: 2,
        createdAt: '2026-01-31T12:00:00.000Z',
        createdByUserId: 12,
      },
    ],
  });

export type SignalEndpointToken = z.infer<typeof signalEndpointTokenSchema>;

/**
 * The settings of the limit allow no more tokens per endpoint. An endpoint with its tokens is one message: a token has
 * at most 1,700 bytes (a name of 255 characters that JSON escapes with six bytes each), so 500 have 850 kB.
 */
export const maxTokensPerEndpoint = 500;

/** Blocks of admissions last 50 ms, so the maximum is 500 signals per block. */
export const maxRatePerSecond = 10_000;

const ratePerSecond = z
  .number()
  .int()
  .min(1, 'should be at least 1')
  .max(maxRatePerSecond, `should be at most ${maxRatePerSecond}`)
  .nullable()
  .meta({ examples: [5] });

export const signalEndpointSchema = z
  .object({
    id: z
      .number()
      .int()
      .min(1)
      .meta({ examples: [2] }),
    enabled: z.boolean(),
    name: z.string().meta({ examples: ['alerts'] }),
    description: z.string().nullable(),
    createdAt: timestamp,
    createdByUserId: z
      .number()
      .int()
      .meta({ examples: [12] }),
    /** The most signals that it accepts in any second; null for the setting of the service. */
    ratePerSecond,
    tokens: z.array(signalEndpointTokenSchema).max(maxTokensPerEndpoint),
  })
  .meta({ id: 'signalEndpointSchema' });

export type SignalEndpoint = z.infer<typeof signalEndpointSchema>;

const endpointName = z
  .string()
  .min(1, 'should not be empty')
  .max(100, 'should have at most 100 characters')
  .regex(/^[a-zA-Z0-9_.~-]+$/, 'should be URL friendly: letters, digits and -_.~')
  .refine((name) => name !== '.' && name !== '..', 'should be URL friendly: . and .. are path steps')
  .meta({ examples: ['alerts'] });

const tokenName = z
  .string()
  .max(255, 'should have at most 255 characters')
  .refine((text) => text.trim() !== '', 'should not be empty')
  .meta({ examples: ['alertmanager'] });

const description = z
  .string()
  .max(1000, 'should have at most 1000 characters')
  .nullable()
  .meta({ examples: ['Alerts of the shop'] });

const id = z.number().int();

export const createSignalEndpoint = request({
  name: 'signals.endpoint.create',
  writes: true,
  summary: 'Makes a signal endpoint',
  input: z.object({
    name: endpointName,
    enabled: z.boolean().default(true),
    description: description.default(null),
    ratePerSecond: ratePerSecond.default(null),
  }),
  output: signalEndpointSchema,
  errors: ['name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const updateSignalEndpoint = request({
  name: 'signals.endpoint.update',
  writes: true,
  summary: 'Replaces a signal endpoint; what is not sent gets the value of a new endpoint',
  input: z.object({
    id,
    name: endpointName,
    enabled: z.boolean().default(true),
    description: description.default(null),
    ratePerSecond: ratePerSecond.default(null),
  }),
  output: signalEndpointSchema,
  errors: ['not-found', 'name-exists'],
  permission: 'ADMIN',
});

export const switchSignalEndpoint = request({
  name: 'signals.endpoint.switch',
  writes: true,
  summary: 'Switches a signal endpoint on or off; one that is off accepts no signals',
  input: z.object({ id, enabled: z.boolean() }),
  output: signalEndpointSchema,
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const deleteSignalEndpoint = request({
  name: 'signals.endpoint.delete',
  writes: true,
  summary: 'Deletes a signal endpoint with its tokens; action sets that name it stay and no longer match',
  input: z.object({ id }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const listSignalEndpoints = request({
  name: 'signals.endpoint.list',
  writes: false,
  summary: 'Every signal endpoint with its tokens',
  input: z.object({}),
  output: z.object({ signalEndpoints: z.array(signalEndpointSchema) }),
  permission: 'ADMIN',
});

export const createSignalEndpointToken = request({
  name: 'signals.endpoint-token.create',
  writes: true,
  summary: 'Makes a token for a signal endpoint; only this answer carries its secret',
  input: z.object({ signalEndpointId: id, name: tokenName }),
  output: signalEndpointTokenSchema,
  errors: ['not-found', 'name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const updateSignalEndpointToken = request({
  name: 'signals.endpoint-token.update',
  writes: true,
  summary: 'Renames a token of a signal endpoint',
  input: z.object({ signalEndpointId: id, id, name: tokenName }),
  output: signalEndpointTokenSchema,
  errors: ['not-found', 'name-exists'],
  permission: 'ADMIN',
});

export const deleteSignalEndpointToken = request({
  name: 'signals.endpoint-token.delete',
  writes: true,
  summary: 'Deletes a token of a signal endpoint, which no longer sends signals',
  input: z.object({ signalEndpointId: id, id }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const listSignalEndpointTokens = request({
  name: 'signals.endpoint-token.list',
  writes: false,
  summary: 'The tokens of a signal endpoint, without their secrets',
  input: z.object({ signalEndpointId: id }),
  output: z.object({ signalEndpointTokens: z.array(signalEndpointTokenSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const signalEndpointChangedHint = hint({
  name: 'signals.endpoint-changed',
  summary: 'A signal endpoint was changed, switched or deleted: remove it and its tokens from caches',
  payload: z.object({ endpointId: id }),
});

export const signalTokenChangedHint = hint({
  name: 'signals.token-changed',
  summary: 'A token of a signal endpoint was deleted: remove it from caches',
  payload: z.object({ selector: z.string() }),
});
