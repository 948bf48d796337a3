import { z } from 'zod';
import { request } from '../contract.ts';
import { daySchema } from '../day.ts';
import { actionRunSchema } from './action-run.ts';
import { signalPayloadSchema } from './signal.ts';

const id = z
  .number()
  .int()
  .min(1)
  .meta({ examples: [310] });
const sourceId = z
  .number()
  .int()
  .meta({ examples: [2] });
const tokenName = z
  .string()
  .nullable()
  .meta({ examples: ['alertmanager'] });

const key = String.raw`[^.[\]="]+`;
const bracket = String.raw`\[(?:\d{1,7}|"(?:[^"\\]|\\["\\])*")\]`;
const pathAndValue = new RegExp(`^(?:${key}|${bracket})(?:\\.${key}|${bracket})*=`);

/**
 * A payload path, `=`, and the text of the value there: `alerts[0].labels.severity=critical`. A key with other
 * characters is in brackets and quotes: `labels["app.kubernetes.io/name"]=checkout`. Numbers, true, false and null
 * match as written and as texts.
 */
export const payloadSearchSchema = z
  .string()
  .max(1000, 'should have at most 1000 characters')
  .regex(pathAndValue, 'should be a path and a value, as in alerts[0].labels.severity=critical')
  .refine((text) => !text.includes('\u0000') && text.isWellFormed(), 'should be Unicode without the character U+0000');

/** Which signals a list has. The days are those of createdAt, in UTC. */
const filters = {
  from: daySchema.optional(),
  to: daySchema.optional(),
  payload: payloadSearchSchema.optional(),
};

/** Of the signals of all endpoints. */
const filtersOverAll = {
  ...filters,
  /** The id of a signal endpoint. */
  sourceId: z.int32().optional(),
  /** Whether an action set ran for the signal. */
  hasRuns: z.boolean().optional(),
};

const page = {
  limit: z.number().int().min(1).max(1000),
  offset: z.number().int().min(0),
};

export const endpointSignalSchema = z
  .object({
    id,
    payload: signalPayloadSchema,
    createdAt: z.iso.datetime(),
    source: z.literal('signal-endpoint'),
    sourceId,
    tokenName,
  })
  .meta({ id: 'signalEndpointSignalSchema' });

export const listEndpointSignals = request({
  name: 'signals.signal.list',
  writes: false,
  summary: 'The stored signals of an endpoint, newest first',
  input: z.object({ signalEndpointId: z.number().int(), ...filters, ...page }),
  output: z.object({ signalEndpointSignals: z.array(endpointSignalSchema) }),
  errors: ['not-found', 'bad-data'],
  permission: 'ADMIN',
});

/** A run that the signal started. The name and project of its set are null when the set was deleted. */
const runOfSignalSchema = z
  .object({
    id: z.number().int().min(1),
    actionSetId: z.number().int().min(1),
    actionSetName: z.string().nullable(),
    project: z.string().nullable(),
    state: actionRunSchema.shape.state,
  })
  .meta({
    id: 'signalQueryRunSchema',
    examples: [
      { id: 17, actionSetId: 3, actionSetName: 'Switch off at an alert', project: 'default', state: 'success' },
    ],
  });

/** The name and description of the endpoint are null when it was deleted. */
export const foundSignalSchema = z
  .object({
    id,
    /** Only for callers with READ_LOGS. */
    payload: signalPayloadSchema.optional(),
    createdAt: z.iso.datetime(),
    source: z.literal('signal-endpoint'),
    sourceId,
    sourceName: z
      .string()
      .nullable()
      .meta({ examples: ['alerts'] }),
    sourceDescription: z.string().nullable(),
    tokenName,
    /** Only for callers with ADMIN. */
    runs: z.array(runOfSignalSchema).optional(),
  })
  .meta({ id: 'signalQuerySignalSchema' });

export type FoundSignal = z.infer<typeof foundSignalSchema>;

export const findSignals = request({
  name: 'signals.signal.find',
  writes: false,
  summary: 'The stored signals of all endpoints, newest first; payloads and their search require READ_LOGS, runs ADMIN',
  input: z.object({ ...filtersOverAll, ...page }),
  output: z.object({ signals: z.array(foundSignalSchema) }),
  errors: ['bad-data'],
  permission: 'authenticated',
});

export const countSignals = request({
  name: 'signals.signal.count',
  writes: false,
  summary: 'How many signals a list has: counted up to 100,000, and up to 10,000 when payloads are searched',
  input: z.object(filtersOverAll),
  output: z.object({ total: z.number().int().min(0) }),
  errors: ['bad-data'],
  permission: 'authenticated',
});
