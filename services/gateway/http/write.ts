import { once } from 'node:events';
import type { Response } from 'express';
import type { Reply } from './route.ts';

export function writeHead(response: Response, { status, headers = {} }: Reply): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/**
 * Resolves when the socket accepts more. When the client reads nothing for `timeoutMs`, aborts the controller and
 * breaks the answer off. Throws then, and when the controller has been aborted.
 */
export async function write(
  response: Response,
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
