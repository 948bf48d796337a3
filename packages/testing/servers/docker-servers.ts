import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartedTestContainer } from 'testcontainers';
import { GenericContainer, getContainerRuntimeClient } from 'testcontainers';
import { guard } from '../../../scripts/servers/guard.ts';
import { findNatsProblem } from '../../../scripts/servers/nats-address.ts';
import { findPostgresProblem } from '../../../scripts/servers/postgres-address.ts';
import type { TestServers } from './running.ts';

const postgresImage = 'postgres:17';
const natsImage = 'nats:2.12';

// Enough to download two images of together 170 MB over a slow line.
const startLimitMs = 180_000;
// From a listening port to an answer: the official image makes its cluster within seconds.
const answerLimitMs = 30_000;

async function untilUsable(findProblem: () => Promise<string | undefined>): Promise<void> {
  const until = Date.now() + answerLimitMs;
  for (let problem = await findProblem(); problem; problem = await findProblem()) {
    if (Date.now() > until) throw new Error(`a container started, but ${problem}`);
    await sleep(50);
  }
}

async function postgres(password: string): Promise<{ container: StartedTestContainer; url: string }> {
  // A crash may lose test data: without fsync the run takes a third less time. Every test file has its own pools.
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=300',
    'timezone=UTC',
  ];
  const container = await new GenericContainer(postgresImage)
    .withEnvironment({ POSTGRES_PASSWORD: password, POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C' })
    .withCommand(['postgres', ...settings.flatMap((setting) => ['-c', setting])])
    .withExposedPorts(5432)
    .start();
  const url = `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
  await untilUsable(() => findPostgresProblem(url));
  return { container, url };
}

async function nats(password: string): Promise<{ container: StartedTestContainer; url: string }> {
  const container = await new GenericContainer(natsImage)
    .withCommand(['-js', '--user', 'yardarm', '--pass', password])
    .withExposedPorts(4222)
    .start();
  const url = `nats://yardarm:${password}@${container.getHost()}:${container.getMappedPort(4222)}`;
  await untilUsable(() => findNatsProblem(url));
  return { container, url };
}

/** Rejects where Docker does not answer. Does not check the images. */
export async function askDocker(): Promise<void> {
  await getContainerRuntimeClient();
}

/** Starts Postgres and NATS in containers. If one does not start, it stops both and rejects. */
export async function startDockerServers(): Promise<TestServers> {
  // A password of letters and digits needs no quoting in a URL or a command.
  const password = randomBytes(24).toString('hex');
  const started: StartedTestContainer[] = [];
  const track = async (starting: ReturnType<typeof postgres>) => {
    const { container, url } = await starting;
    started.push(container);
    return url;
  };
  const stop = async () => {
    await Promise.all(started.map((container) => container.stop({ remove: true, removeVolumes: true, timeout: 0 })));
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the containers did not start in time')), startLimitMs);
  });
  try {
    const both = Promise.all([track(postgres(password)), track(nats(password))]);
    const [postgresUrl, natsUrl] = await Promise.race([both, limit]);
    // Testcontainers' own reaper does this too, but it must be switched off where its image is missing.
    const watch = guard(
      'docker rm --force --volumes "$@" >/dev/null 2>&1',
      ...started.map((container) => container.getId()),
    );
    return {
      postgresUrl,
      natsUrl,
      kind: 'docker',
      async stop() {
        await stop();
        watch.release();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
