// Runs the container of a workload as a process, with its arguments, its variables, and its secrets as files. What
// differs from a pod: the folders are below a temporary one, and it listens on loopback, on free ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compileCache } from '@yardarm/testing';
import { freePort } from '../../servers/free-port.ts';
import { type KubeObject, podOf, type Workload } from '../objects.ts';
import { type Secrets, secretValues } from './secrets.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export interface Pod {
  name: string;
  /** The addresses of /livez and /ready, and of the public listener. */
  healthUrl: string;
  publicUrl: string;
  output(): string;
  ended: Promise<number | null>;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
}

/** `objects` has the ConfigMaps that the workload reads. */
export async function runPod(
  workload: Workload,
  objects: readonly KubeObject[],
  secrets: Secrets,
  folder: string,
): Promise<Pod> {
  const { name } = workload.metadata;
  const { containers, volumes = [] } = podOf(workload);
  const { args = [], env = [], envFrom = [], volumeMounts = [] } = containers[0]!;
  const local = (file: string) => path.join(folder, name, file);
  for (const mount of volumeMounts) {
    mkdirSync(local(mount.mountPath), { recursive: true });
    const volume = volumes.find(({ name }) => name === mount.name);
    for (const [key, value] of Object.entries(volume ? secretValues(volume, secrets) : {}))
      writeFileSync(path.join(local(mount.mountPath), key), value, { mode: 0o400 });
  }
  const maps = envFrom.map(({ configMapRef }) => configMapRef?.name);
  const settings = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && maps.includes(metadata.name));
  const isMounted = (value: string) => volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`));
  const isVolume = (value: string) => volumeMounts.some(({ mountPath }) => value === mountPath);
  const [healthPort, publicPort] = [await freePort(), await freePort()];
  const variables = Object.fromEntries([
    ...env.map(({ name, value = '' }) => [name, isMounted(value) || isVolume(value) ? local(value) : value]),
    ...settings.flatMap(({ data = {} }) => Object.entries(data)),
  ]);
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ ...compileCache, ...variables },
      ...{ HOST: '127.0.0.1', PORT: String(publicPort), HEALTH_HOST: '127.0.0.1', HEALTH_PORT: String(healthPort) },
    },
  });
  return {
    ...{ name, healthUrl: `http://127.0.0.1:${healthPort}`, publicUrl: `http://127.0.0.1:${publicPort}` },
    output: collect(child),
    ended: new Promise((resolve) => child.on('close', resolve)),
    signal: (signal) => child.kill(signal),
  };
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) stream!.on('data', (chunk: Buffer) => (text += chunk));
  return () => text;
}
