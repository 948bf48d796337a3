import { z } from 'zod';
import { request } from '../contract.ts';

/** The most admissions of a lease: the highest rate of an endpoint for a second, the longest lifetime. */
export const maxAdmissionsPerLease = 10_000;
export const maxLeaseLifetimeMs = 1_000;

/** Up to this rate a lease is one admission, which has no lifetime. Above it is a block. */
export const maxSingleRate = 10;

/** A gateway makes at most 40 lease calls a second, and a lease counts for two seconds at most. */
const maxEndReports = 100;

const signalId = z.number().int().min(1);
/** Milliseconds since 1970 by the database's clock. */
const databaseTime = z.number().int();

/**
 * What the owner of a lease says when it has ended: the createdAt of its last signal, and how many signals it had. The
 * same report twice changes nothing more.
 */
export const leaseEndSchema = z.object({
  /** The first id of the lease. */
  leaseId: signalId,
  endedAt: databaseTime,
  used: z.number().int().min(0),
});

export type LeaseEnd = z.infer<typeof leaseEndSchema>;

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
 * Asks for admissions of an endpoint. It is answered for all gateways by one ledger, so that no second has more
 * admissions than the endpoint's rate. With a claim, at most one admission is granted, for the signal of that key; a
 * key that is known gets none.
 */
export const takeLease = request({
  name: 'signals.lease.take',
  summary:
    "Grants admissions within an endpoint's rate, counted for all gateways by the database's clock, with the ids of their signals; claims a key with the first",
  input: z.object({
    endpointId: z.number().int(),
    tokenId: z.number().int(),
    wanted: z.number().int().min(1).max(maxAdmissionsPerLease),
    /** How long the admissions of a block can be used, counted from before this request. */
    lifetimeMs: z.number().int().min(1).max(maxLeaseLifetimeMs),
    /** The leases of the caller that have ended since its last request. */
    ended: z.array(leaseEndSchema).max(maxEndReports),
    claim: keyClaimSchema.nullable(),
  }),
  output: z.object({
    /** The rate of the endpoint. */
    limit: z.number().int().min(1),
    /** Null when no admission is free. Lifetime 0 is one admission for the request that asked. */
    lease: z
      .object({
        ids: z.array(signalId).min(1).max(maxAdmissionsPerLease),
        grantedAt: databaseTime,
        lifetimeMs: z.number().int().min(0),
      })
      .nullable(),
    /** The signal of the claim, claimed by this request or before. */
    claimed: claimedSignalSchema.nullable(),
    /** When an admission can next be free; 0 when one is free now. */
    retryAfterMs: z.number().int().min(0),
  }),
  errors: ['not-found', 'unauthenticated'],
  permission: 'internal',
});

/** The same claim for an admission that the gateway has already, of a block. */
export const claimKey = request({
  name: 'signals.key.claim',
  summary: 'Claims a key of a sender for a signal; answers with the signal that has it, this one or an earlier one',
  input: keyClaimSchema.extend({ tokenId: z.number().int(), id: signalId, createdAt: databaseTime }),
  output: claimedSignalSchema,
  permission: 'internal',
});
