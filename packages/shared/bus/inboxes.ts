import { randomBytes } from 'node:crypto';

/**
 * Inboxes. The permissions of NATS let a service subscribe below `_INBOX.<its name>`, and publish below
 * `_INBOX.<its name>.<sender>` only as that sender. So a service can answer a request that it got, and no request that
 * another service got, even if it can guess how that request's inbox ends.
 */
export interface Inboxes {
  /** All inboxes of this process: the `inboxPrefix` of the client, for what only the server answers. */
  own: string;
  /** Makes an inbox for messages from the service. */
  from(sender: string): string;
  /** Makes an inbox of the server's answers. */
  fromServer(): string;
}

/** 128 bits: no other process can guess an inbox, and no two processes of a service have the same. */
const random = () => randomBytes(16).toString('base64url');

export function inboxesOf(owner: string, subject: (plain: string) => string): Inboxes {
  const own = subject(`_INBOX.${owner}`);
  return { own, from: (sender) => `${own}.${sender}.${random()}`, fromServer: () => `${own}.${random()}` };
}

/** The service whose inbox for messages from `sender` this is; undefined for any other subject. */
export function serviceOfInbox(inbox: string, sender: string, subject: (plain: string) => string): string | undefined {
  const start = subject('_INBOX.');
  const [owner, from, ...rest] = inbox.startsWith(start) ? inbox.slice(start.length).split('.') : [];
  return from === sender && rest.length > 0 ? owner : undefined;
}
