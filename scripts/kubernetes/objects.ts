// The objects of a rendered overlay, as far as the checks read them. checks/schemas.ts checks all of their fields.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

export type Labels = Record<string, string>;

export interface Selector {
  matchLabels?: Labels;
}

export interface EnvVariable {
  name: string;
  value?: string;
  valueFrom?: unknown;
}

interface Handler {
  httpGet?: { path: string; port: string | number };
  tcpSocket?: { port: string | number };
  exec?: unknown;
}

interface SecurityContext {
  fsGroup?: number;
  runAsNonRoot?: boolean;
  seccompProfile?: { type: string };
  allowPrivilegeEscalation?: boolean;
  readOnlyRootFilesystem?: boolean;
  capabilities?: { drop?: string[]; add?: string[] };
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: EnvVariable[];
  envFrom?: {
    configMapRef?: { name: string; optional?: boolean };
    secretRef?: { name: string; optional?: boolean };
  }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  startupProbe?: Handler;
  livenessProbe?: Handler;
  readinessProbe?: Handler;
  lifecycle?: { preStop?: { sleep?: { seconds: number }; exec?: { command: string[] } } };
  resources?: { requests?: { cpu?: string; memory?: string }; limits?: { memory?: string } };
  securityContext?: SecurityContext;
}

export interface Volume {
  name: string;
  secret?: { secretName: string; optional?: boolean; items?: { key: string; path: string }[] };
  configMap?: { name: string };
  emptyDir?: object;
  persistentVolumeClaim?: { claimName: string };
}

export interface PodSpec {
  restartPolicy?: string;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: SecurityContext;
  containers: Container[];
  volumes?: Volume[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  spec?: unknown;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

/** A Deployment, StatefulSet or Job: what makes pods. */
export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    serviceName?: string;
    strategy?: { rollingUpdate?: { maxSurge?: number } };
    selector?: Selector;
    volumeClaimTemplates?: { metadata: { name: string } }[];
    template: { metadata: { labels: Labels }; spec: PodSpec };
  };
}

export const overlays = ['trial', 'production', 'signals', 'traces', 'after-restore'] as const;

export const kubernetesFolder = path.resolve(import.meta.dirname, '../../deploy/kubernetes');

export const renderedFile = (overlay: string) => path.join(kubernetesFolder, 'rendered', `${overlay}.yaml`);

/** Throws the first error of the parser. */
export function parseObjects(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

export const readRendered = (overlay: string) => parseObjects(readFileSync(renderedFile(overlay), 'utf8'));

export const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;

const workloadKinds = ['Deployment', 'StatefulSet', 'Job'];

export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects.filter(({ kind }) => workloadKinds.includes(kind)) as Workload[];
}

export const podOf = ({ spec }: Workload) => spec.template.spec;

export const labelsOfPods = ({ spec }: Workload) => spec.template.metadata.labels;

/** A selector without labels selects everything. */
export function selects({ matchLabels = {} }: Selector, labels: Labels): boolean {
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
}

/** The service that a container runs, and null for a migration, Postgres or NATS. */
export function serviceOf({ args = [] }: Container): string | null {
  return /^services\/(\w+)\/main\.ts$/.exec(args[0] ?? '')?.[1] ?? null;
}
