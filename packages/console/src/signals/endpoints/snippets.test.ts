import { expect, test } from 'vitest';
import { snippetsOf } from './snippets.ts';

const address = 'https://flags.example.com/base/api/signal-endpoint/alerts';

test.each(snippetsOf(address, 'signal_yd_x'))('the settings of $sender have the address and the token', ({ code }) => {
  expect(code).toContain(address);
  expect(code).toContain('signal_yd_x');
});

test('the payload of Datadog is JSON once its variables are replaced', () => {
  const { code } = snippetsOf(address, 't').find(({ sender }) => sender === 'Datadog')!;
  expect(Object.keys(JSON.parse(code.slice(code.indexOf('{"id"'))))).toContain('alert_transition');
});
