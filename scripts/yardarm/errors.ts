/** A command that cannot be done now. The message is for the operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What may be over in a while: no answer, or one that says so (429, 5xx). */
export class OutageError extends CommandError {}

/** An answer that repeats, such as 401 after the token was revoked. */
export class RefusalError extends CommandError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
