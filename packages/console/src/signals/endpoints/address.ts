import { publicUrl } from '../../api/client.ts';

/** Where senders post signals of an endpoint. */
export const addressOf = (name: string) => `${publicUrl}/api/signal-endpoint/${name}`;
