import { z } from 'zod';
import { request } from '../contract.ts';

/** The most admissions of a block: the highest rate of an endpoint for a second, the longest lifetime. */
export const maxAdmissionsPerBlock = 10_000;
export const maxBlockLifetimeMs = 1_000;

/** A gateway requests at most 40 blocks a second, and a block counts for two seconds at most. */
const maxEndReports = 100;

const signalId = z.number().int().min(1);
/** Milliseconds since 1970 by the database's clock. */
const databaseTime = z.number().int();

/**
 * What the gateway of a block says when it uses the block no more: the createdAt of its last signal, and how many
 * signals it had. The same report twice changes nothing more.
 */
export const blockEndSchema = z.object({
  /** The first id of the block. */
  leaseId: signalId,
  endedAt: databaseTime,
  used: z.number().int().min(0),
});

export type BlockEnd = z.infer<typeof blockEndSchema>;

const bodyHashSchema = z.string().max(100);

/** A key that a sender chose, and the hash of the body that came with it. */
export const keyClaimSchema = z.object({
  key: z.string().min(1).max(255),
  bodyHash: bodyHashSchema,
});

export type KeyClaim = z.infer<typeof keyClaimSchema>;

/** The signal of a key, with the hash of the body that came with it. */
export const claimedSignalSchema = z.object({
  id: signalId,
  createdAt: databaseTime,
  bodyHash: bodyHashSchema,
  /** How long the key stays claimed after the request. */
  keptMs: z.number().int().min(0),
});

export type ClaimedSignal = z.infer<typeof claimedSignalSchema>;

/**
 * Asks for a block of admissions of an endpoint. It is answered for all gateways by one ledger, so that no second has
 * more admissions than the endpoint's rate. The subject and the fields have the names of the release before, in which
 * a block was a lease.
 */
export const takeAdmissions = request({
  name: 'signals.lease.take',
  writes: 'in-maintenance',
  summary:
    "Grants a block of admissions within an endpoint's rate, counted for all gateways by the database's clock, with the ids of their signals",
  input: z.object({
    endpointId: z.number().int(),
    tokenId: z.number().int(),
    wanted: z.number().int().min(1).max(maxAdmissionsPerBlock),
    /** How long the gateway can use the admissions, counted from before this request. */
    lifetimeMs: z.number().int().min(1).max(maxBlockLifetimeMs),
    /** The blocks of the caller that have ended since its last request. */
    ended: z.array(blockEndSchema).max(maxEndReports),
    /** Null, except from a gateway of the release before: it sends the key of a signal up to a rate of 10. */
    claim: keyClaimSchema.nullable(),
  }),
  output: z.object({
    /** The rate of the endpoint. */
    limit: z.number().int().min(1),
    /** Null when no admission is free. With lifetime 0 it is for requests that arrived before it was requested. */
    lease: z
      .object({
        ids: z.array(signalId).min(1).max(maxAdmissionsPerBlock),
        grantedAt: databaseTime,
        lifetimeMs: z.number().int().min(0),
      })
      .nullable(),
    /** The signal of `claim` if its key is known. The block is then null. */
    claimed: claimedSignalSchema.nullable(),
    /** When an admission can next be free; 0 when one is free now. */
    retryAfterMs: z.number().int().min(0),
  }),
  errors: ['not-found', 'unauthenticated'],
  permission: 'internal',
});

/** Claims a key with an admission that the gateway has. */
export const claimKey = request({
  name: 'signals.key.claim',
  writes: 'in-maintenance',
  summary: 'Claims a key of a sender for a signal; answers with the signal that has it, this one or an earlier one',
  input: keyClaimSchema.extend({ tokenId: z.number().int(), id: signalId, createdAt: databaseTime }),
  output: claimedSignalSchema,
  permission: 'internal',
});

/** Before an admission is taken for a key. The release before does not answer it. */
export const findKey = request({
  name: 'signals.key.find',
  writes: false,
  summary: 'The signal that has a key of a sender; null when the key is free',
  input: keyClaimSchema.pick({ key: true }).extend({ tokenId: z.number().int() }),
  output: z.object({ claimed: claimedSignalSchema.nullable() }),
  permission: 'internal',
});
