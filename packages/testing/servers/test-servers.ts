import { forcedKind } from './config.ts';
import { startEmbeddedServers } from './embedded-servers.ts';
import type { TestServers } from './running.ts';

/**
 * Starts the servers that a run of tests stands on: containers where Docker answers and the images can be had, else
 * processes of our own. What listens on the machine's standard ports is never used.
 */
export async function startTestServers(): Promise<TestServers> {
  const forced = forcedKind();
  if (forced === 'embedded') return startEmbeddedServers();
  // Loaded when needed: it costs a second that a machine without Docker can save.
  const { askDocker, startDockerServers } = await import('./docker-servers.ts');
  try {
    await askDocker();
  } catch (error) {
    if (forced === 'docker') throw error;
    return startEmbeddedServers();
  }
  try {
    return await startDockerServers();
  } catch (error) {
    if (forced === 'docker') throw error;
    console.log(
      `Docker answers, but its servers cannot be had (${(error as Error).message}); tests use embedded ones.`,
    );
    return startEmbeddedServers();
  }
}
