const unknownAuthority = 'is not signed by an authority that this process trusts';

/** By the codes of OpenSSL and Node. */
const problems: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name than the address has',
  HOSTNAME_MISMATCH: 'is for another name than the address has',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
};

/** Why the certificate of a server was refused, as the rest of a sentence. Null for any other error. */
export function tlsProblemOf(thrown: unknown): string | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
    if (problem !== undefined) return problem;
  }
  return null;
}
