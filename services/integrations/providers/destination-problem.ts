import { type GuardedClient, OutgoingRefused } from '@yardarm/shared/http';
import { adviceFor } from './call.ts';

/**
 * The complaint about an address that no call may reach; null if one may, or if its name cannot be resolved now. What
 * else is wrong with a URL is a problem of its parameter.
 */
export async function destinationProblem(client: GuardedClient, url: string): Promise<string | null> {
  try {
    await client.check(url);
    return null;
  } catch (error) {
    if (!(error instanceof OutgoingRefused && error.isPrivate)) return null;
    return `should be an address that may be called: ${error.message}.${adviceFor(error)}`.replace(/\.$/, '');
  }
}
