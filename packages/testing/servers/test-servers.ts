import { forcedKind } from './config.ts';
import { startEmbeddedServers } from './embedded-servers.ts';
import type { TestServers } from './running.ts';

/**
 * Starts the servers of a test run: containers where Docker answers and has the images, else child processes. Servers
 * on the machine's standard ports are never used.
 */
export async function startTestServers(): Promise<TestServers> {
  const forced = forcedKind();
  if (forced === 'embedded') return startEmbeddedServers();
  // Imported when needed, since the import takes a second.
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
      `Docker answers, but its servers did not start (${(error as Error).message}); tests use embedded ones.`,
    );
    return startEmbeddedServers();
  }
}
