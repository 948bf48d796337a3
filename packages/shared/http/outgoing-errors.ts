/** The call was not made: the address, the URL or a header is one that we do not send to or with. The message names no address that a name resolved to. */
export class OutgoingRefused extends Error {
  override readonly name = 'OutgoingRefused';
  /** Because it is no public address, which an operator may allow. */
  readonly isPrivate: boolean;

  constructor(message: string, { isPrivate = false }: { isPrivate?: boolean } = {}) {
    super(message);
    this.isPrivate = isPrivate;
  }
}

/** The refusal of an address that the operator has not allowed. */
export function notPublic(): OutgoingRefused {
  return new OutgoingRefused('the address is not a public one', { isPrivate: true });
}

/**
 * The call was made or tried and brought no answer. `code` is short and for people and tables: what the system says
 * (`ECONNREFUSED`, `ENOTFOUND`), or `timeout`, `tls`, `aborted`.
 */
export class OutgoingFailed extends Error {
  override readonly name = 'OutgoingFailed';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const tlsCode =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH|CRL_|ERROR_IN_)/;

/** Puts what node:http threw into one of the two kinds. */
export function outgoingError(thrown: unknown): OutgoingRefused | OutgoingFailed {
  if (thrown instanceof OutgoingRefused || thrown instanceof OutgoingFailed) return thrown;
  const { message, code } = thrown as NodeJS.ErrnoException;
  // The words of request-filtering-agent, whose errors carry no code.
  if (/is not allowed\. Because/.test(message)) return notPublic();
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN' || code === 'ERR_HTTP_INVALID_HEADER_VALUE') {
    return new OutgoingRefused('a header cannot be sent as it is');
  }
  if (code !== undefined && tlsCode.test(code)) return new OutgoingFailed('tls', code, { cause: thrown });
  return new OutgoingFailed(code ?? 'failed', code ?? 'the connection failed', { cause: thrown });
}
