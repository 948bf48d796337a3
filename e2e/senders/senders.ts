// The systems that docs/signals.md describes as senders: what they send when something alerts and when it is resolved,
// and the action sets that switch a flag off and on again. The payloads have the fields that the vendors document.
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Filter = { operator: 'IN'; values: string[] };

export interface Sender {
  name: string;
  /** The filters of the set that switches off. */
  alert: Record<string, Filter>;
  /** The filters of the set that switches on again. */
  resolved: Record<string, Filter>;
  /** Where the payload names the flag; without it, the set names the flag. */
  flagAt?: string;
  /** It cannot send an Authorization header, so the relay adds one. */
  isRelayed?: true;
}

/** The flag that the payloads name. */
const flagOfPayloads = 'checkout-v2';

const is = (...values: string[]): Filter => ({ operator: 'IN', values });

export const senders: readonly Sender[] = [
  {
    name: 'alertmanager',
    alert: { status: is('firing'), 'commonLabels.severity': is('critical') },
    resolved: { status: is('resolved'), 'commonLabels.severity': is('critical') },
    flagAt: 'commonLabels.flag',
  },
  {
    name: 'grafana',
    alert: { status: is('firing'), 'commonLabels.team': is('payments') },
    resolved: { status: is('resolved'), 'commonLabels.team': is('payments') },
    flagAt: 'commonLabels.flag',
  },
  {
    name: 'datadog',
    alert: { alert_transition: is('Triggered', 'Re-Triggered') },
    resolved: { alert_transition: is('Recovered') },
    flagAt: 'flag',
  },
  {
    name: 'sentry',
    alert: { action: is('critical'), 'data.metric_alert.alert_rule.name': is('Checkout errors') },
    resolved: { action: is('resolved'), 'data.metric_alert.alert_rule.name': is('Checkout errors') },
    isRelayed: true,
  },
  {
    name: 'github',
    alert: { 'deployment_status.state': is('failure', 'error'), 'deployment.environment': is('production') },
    resolved: { 'deployment_status.state': is('success'), 'deployment.environment': is('production') },
    flagAt: 'deployment.payload.flag',
    isRelayed: true,
  },
  {
    name: 'pagerduty',
    alert: { 'event.event_type': is('incident.triggered'), 'event.data.service.id': is('PF9KMXH') },
    resolved: { 'event.event_type': is('incident.resolved'), 'event.data.service.id': is('PF9KMXH') },
  },
];

export type Occasion = 'alert' | 'resolved';

/** What the sender sends, as text. It names `flag`, if the sender names flags. */
export function payloadOf({ name }: Sender, occasion: Occasion, flag: string): string {
  const file = path.join(import.meta.dirname, 'payloads', `${name}-${occasion}.json`);
  return readFileSync(file, 'utf8').replaceAll(flagOfPayloads, flag);
}

interface Place {
  endpointId: number;
  /** The service account that switches. */
  actorId: number;
  project: string;
  environment: string;
  flag: string;
}

/** The bodies that create the two sets of a sender. */
export function actionSetsOf(sender: Sender, place: Place) {
  const { name, flagAt } = sender;
  const featureName = flagAt === undefined ? place.flag : `{{payload.${flagAt}}}`;
  const setOf = (occasion: Occasion, action: string) => ({
    name: `${name}: ${occasion}`,
    actorId: place.actorId,
    match: { source: 'signal-endpoint', sourceId: place.endpointId, payload: sender[occasion] },
    actions: [
      {
        action,
        sortOrder: 1,
        executionParams: { project: place.project, environment: place.environment, featureName },
      },
    ],
  });
  return [setOf('alert', 'TOGGLE_FEATURE_OFF'), setOf('resolved', 'TOGGLE_FEATURE_ON')];
}
