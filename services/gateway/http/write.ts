import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Reply } from './route.ts';

export function writeHead(response: ServerResponse, { status, headers = {} }: Reply): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/**
 * Resolves when the socket accepts more. When the client reads nothing for `timeoutMs`, aborts the controller and
 * breaks the answer off. Throws then, and when the controller has been aborted.
 */
export async function write(
  response: ServerResponse,
  chunks: readonly (string | Uint8Array)[],
  controller: AbortController,
  timeoutMs: number,
): Promise<void> {
  controller.signal.throwIfAborted();
  let isAccepted = true;
  for (const chunk of chunks) isAccepted = response.write(chunk);
  if (isAccepted) return;
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    await once(response, 'drain', { signal: controller.signal });
  } catch (error) {
    controller.abort();
    response.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
