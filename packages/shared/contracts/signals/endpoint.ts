import { z } from 'zod';
import { request } from '../contract.ts';

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

export const signalEndpointSchema = z.object({
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
  tokens: z.array(signalEndpointTokenSchema),
});

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

export const createSignalEndpoint = request({
  name: 'signals.endpoint.create',
  summary: 'Makes a signal endpoint',
  input: z.object({
    name: endpointName,
    enabled: z.boolean().default(true),
    description: z.string().nullable().default(null),
  }),
  output: signalEndpointSchema,
  errors: ['name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const listSignalEndpoints = request({
  name: 'signals.endpoint.list',
  summary: 'Every signal endpoint with its tokens',
  input: z.object({}),
  output: z.object({ signalEndpoints: z.array(signalEndpointSchema) }),
  permission: 'ADMIN',
});

export const createSignalEndpointToken = request({
  name: 'signals.endpoint-token.create',
  summary: 'Makes a token for a signal endpoint; only this answer carries its secret',
  input: z.object({ signalEndpointId: z.number().int(), name: tokenName }),
  output: signalEndpointTokenSchema,
  errors: ['not-found', 'name-exists', 'limit-exceeded'],
  permission: 'ADMIN',
});

export const listSignalEndpointTokens = request({
  name: 'signals.endpoint-token.list',
  summary: 'The tokens of a signal endpoint, without their secrets',
  input: z.object({ signalEndpointId: z.number().int() }),
  output: z.object({ signalEndpointTokens: z.array(signalEndpointTokenSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
});
