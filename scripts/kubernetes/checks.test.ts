// Each check finds what it is for: an object of `production` is broken, and the check names it.
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { expect, test } from 'vitest';
import { clusterProblems } from './checks/nats.ts';
import { podProblems } from './checks/pods.ts';
import { portProblems } from './checks/ports.ts';
import { referenceProblems, selectionProblems } from './checks/references.ts';
import { schemaProblems } from './checks/schemas.ts';
import { literalSecretProblems, secretKeysOf } from './checks/secrets.ts';
import { settingProblems } from './checks/settings.ts';
import { versionProblems } from './checks/versions.ts';
import { type Container, type KubeObject, nameOf, podOf, readRendered, type Workload } from './objects.ts';

interface Broken {
  objects: KubeObject[];
  /** An object by kind and name, such as `Deployment flags`. */
  named<T extends KubeObject = Workload>(name: string): T;
  container: Container;
}

/** The objects of production, with a change. */
function broken(change: (parts: Broken) => void): KubeObject[] {
  const objects = structuredClone(readRendered('production'));
  const named = <T extends KubeObject>(name: string) => objects.find((object) => nameOf(object) === name) as T;
  change({ objects, named, container: podOf(named<Workload>('Deployment flags')).containers[0]! });
  return objects;
}

const secrets = new Set(secretKeysOf(readRendered('production')).keys()).add('nats-users');
const references = (objects: KubeObject[]) => referenceProblems(objects, secrets);
const settings = { flags, gateway, accounts: flags, events: flags, integrations: flags, signals: flags };
const settingsOfFlags = (objects: KubeObject[]) =>
  settingProblems(objects, settings).filter((problem) => problem.startsWith('Deployment flags'));

type Spec = Record<string, never>;

test.each<[string, (objects: KubeObject[]) => string[], (parts: Broken) => void, string]>([
  [
    'a missing service account',
    references,
    ({ named }) => {
      podOf(named('Deployment flags')).serviceAccountName = 'none';
    },
    'Deployment flags names no ServiceAccount: none',
  ],
  [
    'a missing secret',
    references,
    ({ named }) => {
      podOf(named('Deployment flags')).volumes = [{ name: 'secrets', secret: { secretName: 'none' } }, { name: 'tmp' }];
    },
    'Deployment flags names no Secret: none',
  ],
  [
    'a missing ConfigMap',
    references,
    ({ container }) => {
      container.envFrom = [{ configMapRef: { name: 'none' } }];
    },
    'Deployment flags names no ConfigMap: none',
  ],
  [
    'a missing volume',
    references,
    ({ container }) => {
      container.volumeMounts![0]!.name = 'none';
    },
    'Deployment flags mounts no volume: none',
  ],
  [
    'a governing service that is missing',
    references,
    ({ named }) => {
      named('StatefulSet events').spec.serviceName = 'none';
    },
    'StatefulSet events names no Service: none',
  ],
  [
    'a workload that selects other pods',
    references,
    ({ named }) => {
      named('Deployment flags').spec.selector = { matchLabels: { a: 'b' } };
    },
    'Deployment flags does not select its own pods',
  ],
  [
    'a service without pods',
    selectionProblems,
    ({ named }) => {
      (named<KubeObject>('Service flags').spec as Spec) = { selector: { a: 'b' } } as unknown as Spec;
    },
    'Service flags selects no pod',
  ],
  [
    'a port that no container has',
    portProblems,
    ({ container }) => {
      container.ports = [];
    },
    'Service flags sends to no port: health',
  ],
  [
    'a policy for a port that no container has',
    portProblems,
    ({ container }) => {
      container.ports = [];
    },
    'NetworkPolicy flags opens no port: health',
  ],
  [
    'an Ingress to no service',
    portProblems,
    ({ objects, named }) => {
      objects.splice(objects.indexOf(named('Service gateway')), 1);
    },
    'Ingress gateway sends to no service: gateway, http',
  ],
  [
    'a number of replicas beside an autoscaler',
    portProblems,
    ({ named }) => {
      named('Deployment flags').spec.replicas = 2;
    },
    'Deployment flags has a number of replicas and an autoscaler',
  ],
  [
    'an autoscaler of nothing',
    portProblems,
    ({ objects, named }) => {
      objects.splice(objects.indexOf(named('Deployment flags')), 1);
    },
    'HorizontalPodAutoscaler flags scales nothing: Deployment flags',
  ],
  [
    'a Job whose log goes when it fails',
    podProblems,
    ({ named }) => {
      podOf(named('Job flags-migrate-0.1.0')).restartPolicy = 'OnFailure';
    },
    'Job flags-migrate-0.1.0 has no log when it fails',
  ],
  [
    'a pod that may run as root',
    podProblems,
    ({ named }) => {
      podOf(named('Deployment flags')).securityContext!.runAsNonRoot = false;
    },
    'Deployment flags has to run as another user than root',
  ],
  [
    'a container with capabilities',
    podProblems,
    ({ container }) => {
      container.securityContext!.capabilities = { drop: ['ALL'], add: ['NET_RAW'] };
    },
    'Deployment flags keeps capabilities',
  ],
  [
    'a liveness probe that asks dependencies',
    podProblems,
    ({ container }) => {
      container.livenessProbe!.httpGet!.path = '/ready';
    },
    'Deployment flags is restarted for another reason than /livez',
  ],
  [
    'a gateway that closes at once',
    podProblems,
    ({ named }) => {
      delete podOf(named('StatefulSet gateway')).containers[0]!.lifecycle;
    },
    'StatefulSet gateway closes its listener while it is an endpoint',
  ],
  [
    'a pod without the time to drain',
    podProblems,
    ({ named }) => {
      podOf(named('Deployment flags')).terminationGracePeriodSeconds = 9;
    },
    'Deployment flags is killed before it has drained',
  ],
  [
    'a literal secret',
    literalSecretProblems,
    ({ container }) => {
      container.env!.push({ name: 'NATS_URL', value: 'nats://nats' });
    },
    'Deployment flags has the value of NATS_URL',
  ],
  [
    'a password in a URL',
    literalSecretProblems,
    ({ container }) => {
      container.args = ['postgres://flags:secret@postgres/yardarm'];
    },
    'Deployment flags has a password in a URL',
  ],
  [
    'a Secret with a value',
    literalSecretProblems,
    ({ objects }) => {
      objects.push({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, stringData: { A: 'b' } });
    },
    'Secret one has a value',
  ],
  [
    'an unknown setting',
    settingsOfFlags,
    ({ container }) => {
      container.env!.push({ name: 'EVENTS_HEADS_DIR', value: '/x' });
    },
    'Deployment flags: no setting: EVENTS_HEADS_DIR',
  ],
  [
    'a file of a setting that is no secret',
    settingsOfFlags,
    ({ container }) => {
      container.env!.push({ name: 'LOG_LEVEL_FILE', value: '/run/secrets/yardarm/LOG_LEVEL' });
    },
    'Deployment flags: no setting: LOG_LEVEL_FILE',
  ],
  [
    'a file that is in no volume',
    settingsOfFlags,
    ({ container }) => {
      container.env!.push({ name: 'NATS_KEY_FILE', value: '/etc/nats/other/tls.key' });
    },
    'Deployment flags: NATS_KEY_FILE is in no volume: /etc/nats/other/tls.key',
  ],
  [
    'a wrong value of a setting',
    settingsOfFlags,
    ({ container }) => {
      container.env!.push({ name: 'HEALTH_PORT', value: 'x' });
    },
    'Deployment flags: a wrong value of HEALTH_PORT',
  ],
  [
    'a service whose streams have fewer copies than there are servers',
    (objects) => clusterProblems(objects, settings),
    ({ container }) => {
      container.env = container.env!.filter(({ name }) => name !== 'NATS_STREAM_REPLICAS');
    },
    'Deployment flags: NATS_STREAM_REPLICAS is 1, and NATS has 3 servers',
  ],
  [
    'a server without a route',
    (objects) => clusterProblems(objects, settings),
    ({ named }) => {
      named('StatefulSet nats').spec.replicas = 5;
    },
    'StatefulSet nats: NATS_ROUTES lacks nats://nats-4.nats-servers:6222',
  ],
  [
    'a server that tells clients its IP',
    (objects) => clusterProblems(objects, settings),
    ({ named }) => {
      podOf(named('StatefulSet nats')).containers[0]!.args = ['--config', '/etc/yardarm/nats-cluster.conf'];
    },
    'StatefulSet nats: it tells clients an address that its certificate lacks',
  ],
  [
    'a server that ends with its leaders',
    (objects) => clusterProblems(objects, settings),
    ({ named }) => {
      podOf(named('StatefulSet nats')).containers[0]!.lifecycle = {};
    },
    'StatefulSet nats: it ends with its leaders',
  ],
  [
    'an image of another version',
    (objects) => versionProblems(objects, '0.1.0'),
    ({ container }) => {
      container.image = 'yardarm:0.2.0';
    },
    'Deployment flags: the version of its image is 0.2.0',
  ],
  [
    'a migration of another version',
    (objects) => versionProblems(objects, '0.1.0'),
    ({ named }) => {
      named('Job flags-migrate-0.1.0').metadata.name = 'flags-migrate-0.2.0';
    },
    'Job flags-migrate-0.2.0: the version of its name is 0.2.0',
  ],
])('%s is found', (_, check, change, problem) => {
  expect(check(broken(() => {}))).toEqual([]);
  expect(check(broken(change))).toContain(problem);
});

test('a wrong type, an unknown field and an unknown kind do not fit the schema', async () => {
  const objects = broken(({ objects, named, container }) => {
    Object.assign(container, { livenesProbe: {} });
    Object.assign(named('Service flags').spec, { ports: [{ port: 'x' }] });
    objects.push({ apiVersion: 'v1', kind: 'Deployment', metadata: { name: 'old' } });
  });
  const touched = objects.filter(({ metadata }) => ['flags', 'old'].includes(metadata.name));
  expect(await schemaProblems(touched)).toEqual([
    'Service flags: data/spec/ports/0/port must be integer',
    'Deployment flags: unknown field /spec/template/spec/containers/0/livenesProbe',
    'Deployment old: v1 has no kind Deployment',
  ]);
});
