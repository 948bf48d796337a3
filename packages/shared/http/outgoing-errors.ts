/** The call was not made: its address, URL or a header is not allowed. The message never has the address of a name. */
export class OutgoingRefused extends Error {
  override readonly name = 'OutgoingRefused';
  /** True when the address is not public, which an operator may allow. */
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

/** No answer. `code` is short: a system error such as `ECONNREFUSED`, or `timeout`, `tls`, `proxy`, `aborted`. */
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

/** Maps an error of node:http to one of the two classes. */
export function outgoingError(thrown: unknown): OutgoingRefused | OutgoingFailed {
  if (thrown instanceof OutgoingRefused || thrown instanceof OutgoingFailed) return thrown;
  const { message, code } = thrown as NodeJS.ErrnoException;
  // The message of request-filtering-agent, whose errors have no code.
  if (/is not allowed\. Because/.test(message)) return notPublic();
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN' || code === 'ERR_HTTP_INVALID_HEADER_VALUE') {
    return new OutgoingRefused('a header cannot be sent as it is');
  }
  if (code !== undefined && tlsCode.test(code)) return new OutgoingFailed('tls', code, { cause: thrown });
  return new OutgoingFailed(code ?? 'failed', code ?? 'the connection failed', { cause: thrown });
}
