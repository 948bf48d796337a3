import { describe, expect, it } from 'vitest';
import { parameterProblems, signingSecretsOf } from './parameters.ts';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join();

// ../integrations/integration.test.ts tests url, headers and templates.
describe('a parameter is accepted', () => {
  it.each([
    ['signingSecret', secretOf(24)],
    ['signingSecret', secretOf(64)],
    ['signingSecret', `${secretOf(24)} ${secretOf(32)}`],
    ['defaultChannels', '#general, C0123ABC ,größe'],
    ['defaultChannels', names(50)],
    ['accessToken', 'xoxb-1'],
  ])('%s of %j', (name, value) => {
    expect(parameterProblems({ [name]: value })).toEqual([]);
  });
});

describe('a parameter is refused', () => {
  it.each([
    ['signingSecret', 'secret'],
    ['signingSecret', 'whsec_'],
    ['signingSecret', 'whsec_not base64'],
    ['signingSecret', secretOf(23)],
    ['signingSecret', secretOf(65)],
    ['signingSecret', secretOf(24).slice(0, -1)],
    ['signingSecret', `${secretOf(24)} ${secretOf(25)} ${secretOf(26)}`],
    ['signingSecret', ' '],
    ['defaultChannels', 'two words'],
    ['defaultChannels', 'x'.repeat(81)],
    ['defaultChannels', names(51)],
    ['defaultChannel', 'a\nb'],
    ['accessToken', 'xoxb\r\nx: y'],
    ['apiKey', 'a\n'],
    ['licenseKey', 'a\n'],
  ])('%s of %j', (name, value) => {
    const problems = parameterProblems({ [name]: value });
    expect(problems).toEqual([{ name, complaint: expect.stringMatching(/^should /) }]);
  });
});

it('without a secret there is no signature', () => {
  expect(signingSecretsOf({})).toEqual([]);
  expect(signingSecretsOf({ signingSecret: '' })).toEqual([]);
});
