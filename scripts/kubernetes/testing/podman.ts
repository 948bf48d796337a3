// Plays the workloads of an overlay by `podman kube play`, as root, in a network of their own. podman 4.3 knows neither
// Jobs, StatefulSets and Services nor fsGroup, and leaves the values of secrets encoded. So:
//
//   workload  It becomes a Pod of its name, by which the network finds it. So Services need no counterpart.
//   Job       podman restarts its container when it fails, in place of the controller that would make another pod.
//   volume    It is a folder of this machine, of the group that fsGroup names, as a kubelet would make it.
//   probe     It is left out: podman would run curl in the container. The caller asks the addresses, as a kubelet does.
//   port      It is left out: podman would publish it. The addresses of pods can be reached from this machine.
//   preStop   It is left out.
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type KubeObject, kubernetesFolder, labelsOfPods, podOf, type Volume, type Workload } from '../objects.ts';
import { type Secrets, secretValues } from './secrets.ts';

const run = promisify(execFile);

/** A pull of a base image over a slow line. Without a registry podman ends sooner. */
const pullLimitMs = 120_000;

async function podman(...args: string[]): Promise<string> {
  return (await run('podman', args)).stdout.trim();
}

/**
 * Whether podman runs containers here: it needs root, and the images, which it pulls unless they are there. The first
 * one has a shell.
 */
export async function canPlay(images: readonly string[]): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  try {
    for (const image of images)
      await podman('image', 'exists', image).catch(() => run('podman', ['pull', image], { timeout: pullLimitMs }));
    await podman('run', '--rm', '--entrypoint', '/bin/true', images[0]!);
    return true;
  } catch (error) {
    // A test that is skipped says nothing by itself.
    console.log(`podman plays no pods here: ${(error as Error).message}`);
    return false;
  }
}

export async function buildImage(name: string, folder: string): Promise<void> {
  await run('podman', ['build', '--quiet', '--tag', name, folder], { maxBuffer: Number.POSITIVE_INFINITY });
}

export interface ContainerState {
  status: string;
  exitCode: number;
  /** Of the container's first process. */
  pid: number;
}

/** The pods that are played. `configMaps` and `secrets` are what the workloads read. */
export class PodmanPods {
  readonly #network: string;
  readonly #folder: string;
  readonly #configMaps: readonly KubeObject[];
  readonly #secrets: Secrets;
  readonly #played: string[] = [];

  /** `folder` gets the volumes. */
  constructor(folder: string, { configMaps, secrets }: { configMaps: readonly KubeObject[]; secrets: Secrets }) {
    this.#network = path.basename(folder);
    this.#folder = folder;
    this.#configMaps = configMaps;
    this.#secrets = secrets;
  }

  /** Makes the network. Returns the address of this machine in it. */
  async createNetwork(): Promise<string> {
    await podman('network', 'create', this.#network);
    return podman('network', 'inspect', this.#network, '--format', '{{(index .Subnets 0).Gateway}}');
  }

  async play(workload: Workload): Promise<void> {
    const { name } = workload.metadata;
    const file = path.join(this.#folder, `${name}.yaml`);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: labelsOfPods(workload) } };
    const configMaps = this.#configMaps.map((map) => ({ ...map, metadata: { name: map.metadata.name } }));
    const objects = [...configMaps, { ...pod, spec: this.#specOf(workload) }];
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    this.#played.push(name);
    await podman('kube', 'play', '--network', this.#network, file);
  }

  #specOf(workload: Workload): object {
    const { containers, volumes = [], securityContext, ...spec } = podOf(workload);
    const claims: Volume[] = (workload.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
      name: metadata.name,
    }));
    return {
      ...{ ...spec, securityContext },
      ...(workload.kind === 'Job' ? { restartPolicy: 'OnFailure' } : {}),
      containers: containers.map(({ startupProbe, livenessProbe, readinessProbe, lifecycle, ports, ...rest }) => rest),
      volumes: [...volumes, ...claims].map((volume) =>
        this.#volume(workload.metadata.name, volume, securityContext!.fsGroup!),
      ),
    };
  }

  #volume(workload: string, volume: Volume, group: number): object {
    const folder = path.join(this.#folder, workload, volume.name);
    mkdirSync(folder, { recursive: true });
    chownSync(folder, 0, group);
    chmodSync(folder, 0o2775);
    const map = this.#configMaps.find(({ metadata }) => metadata.name === volume.configMap?.name);
    const values = map?.data ?? secretValues(volume, this.#secrets);
    for (const [key, value] of Object.entries(values)) {
      const file = path.join(folder, key);
      writeFileSync(file, value);
      chownSync(file, 0, group);
      chmodSync(file, 0o440);
    }
    return { name: volume.name, hostPath: { path: folder, type: 'Directory' } };
  }

  #containerOf(workload: Workload): string {
    return `${workload.metadata.name}-${podOf(workload).containers[0]!.name}`;
  }

  async stateOf(workload: Workload): Promise<ContainerState> {
    const text = await podman('inspect', this.#containerOf(workload), '--format', '{{json .State}}');
    const { Status: status, ExitCode: exitCode, Pid: pid } = JSON.parse(text);
    return { status, exitCode, pid };
  }

  /** The address of the pod in the network. */
  async addressOf(workload: Workload): Promise<string> {
    const format = `{{(index .NetworkSettings.Networks "${this.#network}").IPAddress}}`;
    return podman('inspect', this.#containerOf(workload), '--format', format);
  }

  /** Ends the first process, as a crash does. Returns its id. podman would not restart what it kills itself. */
  async crash(workload: Workload): Promise<number> {
    const { pid } = await this.stateOf(workload);
    process.kill(pid, 'SIGKILL');
    return pid;
  }

  async remove(): Promise<void> {
    await podman('pod', 'rm', '--force', '--ignore', ...this.#played);
    await podman('network', 'rm', '--force', this.#network);
  }
}

/** The ConfigMaps with the files of NATS, which rendered overlays only name. */
export function configMapsOf(objects: readonly KubeObject[]): KubeObject[] {
  const contentsOf = ([key, value]: [string, string]) =>
    value.startsWith('# deploy/')
      ? [key, readFileSync(path.join(kubernetesFolder, 'base/nats', key), 'utf8')]
      : [key, value];
  return objects
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((map) => ({ ...map, data: Object.fromEntries(Object.entries(map.data ?? {}).map(contentsOf)) }));
}
