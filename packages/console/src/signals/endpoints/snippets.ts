/** How a system sends to an endpoint. */
export interface Snippet {
  sender: string;
  /** Where the code belongs, as a sentence. */
  where: string;
  code: string;
  /** What the sender does with a signal that was refused, as a sentence. */
  whenRefused: string;
}

/** In place of a token that is not known: only the answer that makes a token has it. */
export const unknownToken = '$SIGNAL_TOKEN';

/** The settings of senders, as docs/signals.md describes them. */
export function snippetsOf(address: string, token: string): Snippet[] {
  return [
    {
      sender: 'curl',
      where: 'In a shell. The Idempotency-Key lets the signal be sent again without a second one.',
      code: [
        `curl -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' \\`,
        `  -H 'Idempotency-Key: alert-7-firing' ${address} \\`,
        `  -d '{ "status": "firing", "labels": { "severity": "critical", "flag": "checkout-v2" } }'`,
      ].join('\n'),
      whenRefused: 'After 429, 503 and 504 send it again, with the same Idempotency-Key.',
    },
    {
      sender: 'Alertmanager',
      where: 'In alertmanager.yml. The alerts have a label flag, by which the route groups.',
      code: [
        'route:',
        '  receiver: yardarm',
        '  group_by: [alertname, flag]',
        'receivers:',
        '  - name: yardarm',
        '    webhook_configs:',
        `      - url: ${address}`,
        '        send_resolved: true',
        '        http_config:',
        `          authorization: { type: Bearer, credentials: "${token}" }`,
      ].join('\n'),
      whenRefused: 'It repeats after 503. After 429 it waits for the next group_interval.',
    },
    {
      sender: 'Grafana',
      where: 'A contact point of the type Webhook, with these fields. The alert rules have a label flag.',
      code: [
        `URL                                  ${address}`,
        'HTTP Method                          POST',
        'Authorization Header - Scheme        Bearer',
        `Authorization Header - Credentials   ${token}`,
        'Disable resolved message             off',
      ].join('\n'),
      whenRefused: 'After 429 and 503 it waits for the next group interval.',
    },
    {
      sender: 'Datadog',
      where: 'A webhook named yardarm. Monitors mention @webhook-yardarm and have a tag such as flag:checkout-v2.',
      code: [
        `URL              ${address}`,
        `Hidden variable  YARDARM_TOKEN = ${token}`,
        'Custom headers   {"Authorization": "Bearer $YARDARM_TOKEN", "Idempotency-Key": "$ID"}',
        'Payload          {"id": "$ID", "title": "$EVENT_TITLE", "date": "$DATE", "alert_id": "$ALERT_ID",',
        '                  "alert_transition": "$ALERT_TRANSITION", "tags": "$TAGS", "flag": "$TAGS[flag]"}',
      ].join('\n'),
      whenRefused: 'It repeats up to 5 times after 503. What is refused with 429 is lost, so the rate matters.',
    },
    {
      sender: 'Sentry',
      where:
        'Sentry sends no token, so the signal relay adds it. An internal integration has the address of the relay.',
      code: relayOf('sentry', 'the client secret of the integration', address, token),
      whenRefused: 'The relay sends again for up to a minute. Sentry waits one second and does not repeat.',
    },
    {
      sender: 'PagerDuty',
      where: 'A webhook subscription (V3) of the events incident.triggered and incident.resolved.',
      code: [
        `Webhook URL      ${address}`,
        `Custom header    Authorization: Bearer ${token}`,
        'Events           incident.triggered, incident.resolved',
      ].join('\n'),
      whenRefused: 'It repeats up to 4 times in 20 minutes after 429 and 503.',
    },
    {
      sender: 'GitHub',
      where: 'GitHub sends no token, so the signal relay adds it. The webhook leads to the relay, as application/json.',
      code: relayOf('github', 'the secret of the webhook', address, token),
      whenRefused: 'The relay sends again for up to a minute. GitHub itself never repeats.',
    },
  ];
}

function relayOf(sender: string, secret: string, address: string, token: string): string {
  return [
    `RELAY_SENDER=${sender} RELAY_SECRET='${secret}' \\`,
    `RELAY_URL=${address} \\`,
    `RELAY_TOKEN=${token} npm run signal-relay`,
  ].join('\n');
}
