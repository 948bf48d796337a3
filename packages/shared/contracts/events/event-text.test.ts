import fc from 'fast-check';
import { lexer, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import type { Event } from './event.ts';
import { eventLabel, eventLink, eventMarkdown, eventText, plainText } from './event-text.ts';
import { eventTypes } from './event-types.ts';

const event = (over: Partial<Event> = {}): Event => ({
  id: 1,
  createdAt: '2026-03-01T12:00:00.000Z',
  type: 'feature-created',
  createdBy: 'ada',
  createdByUserId: 1,
  environment: null,
  project: 'default',
  featureName: 'checkout',
  data: null,
  preData: null,
  tags: [],
  ...over,
});

const base = 'https://flags.example';
const bare = { project: null, featureName: null };

const full = event({
  environment: 'production',
  data: {
    ...{ id: 7, name: 'the-name', title: 'the title', type: 'simple', value: 'blue', provider: 'webhook' },
    ...{ userId: 3, groupId: 4, roleName: 'Owner', email: 'eve@example.com', appName: 'shop', features: ['a', 'b'] },
    ...{ feature: 'parent', newProject: 'new', oldProject: 'old' },
  },
});

describe('the text of an event', () => {
  it.each(eventTypes)('of type %s has a label and a sentence without slots or brackets', (type) => {
    const text = plainText(eventText({ ...full, type }, base));
    expect(text).toMatch(/^ada \w/);
    expect(text).not.toMatch(/[[\]{}?]| {2}/);
    expect(eventLabel(type)).toMatch(/^[A-Z][\w ]+$/);
    const poor = plainText(eventText({ ...event(bare), type }));
    expect(poor).toMatch(/^ada \w[\w ?.-]+$/);
    expect(poor).not.toMatch(/ {2}| $/);
  });

  it.each<[Partial<Event>, string]>([
    [{}, '**ada** created **checkout** in project **default**'],
    [
      { type: 'feature-environment-enabled', environment: 'production' },
      '**ada** enabled **checkout** for the **production** environment in project **default**',
    ],
    [
      { type: 'feature-tagged', data: { type: 'simple', value: 'blue' } },
      '**ada** tagged **checkout** with **simple:blue** in project **default**',
    ],
    [
      { type: 'feature-project-change', data: { oldProject: 'old', newProject: 'new' } },
      '**ada** moved **checkout** from project **old** to project **new**',
    ],
    [
      { type: 'feature-strategy-remove', environment: 'dev', preData: { id: 'x', name: 'default', title: '' } },
      '**ada** removed strategy **default** from **checkout** for the **dev** environment in project **default**',
    ],
    [{ ...bare, type: 'segment-deleted', preData: { id: 3, name: 'beta' } }, '**ada** deleted segment **beta**'],
    [{ ...bare, type: 'user-created', data: { id: 3, email: 'eve@a.b' } }, '**ada** created user **eve@a.b**'],
    [{ ...bare, type: 'project-created', data: { id: 'shop', name: 'Shop' } }, '**ada** created project **shop**'],
    [{ ...bare, type: 'drop-tags' }, '**ada** dropped all tags before an import'],
    [{ ...bare, createdBy: '' }, 'somebody created ?'],
  ])('of %j is %s', (over, text) => {
    expect(eventMarkdown(event(over))).toBe(text);
  });

  it('links to the pages of flags and projects under the base URL', () => {
    const page = `${base}/projects/default`;
    expect(eventMarkdown(event(), base)).toBe(
      `**ada** created **[checkout](${page}/features/checkout)** in project **[default](${page})**`,
    );
    expect(eventMarkdown(event({ type: 'feature-archived' }), base)).toBe(
      `**ada** archived **checkout** in project **[default](${page})**`,
    );
    expect(eventLink(event(), base)).toBe(`${page}/features/checkout`);
    expect(eventLink(event({ type: 'feature-deleted' }), base)).toBe(page);
    expect(eventLink(event(bare), base)).toBeNull();
    expect(eventLink(event(), null)).toBeNull();
    expect(eventMarkdown(event({ featureName: 'a)b/../c' }), base)).toContain(`${page}/features/a%29b%2F..%2Fc)**`);
  });

  it('shortens a very long name', () => {
    const text = plainText(eventText(event({ featureName: 'x'.repeat(5_000) })));
    expect(text).toContain(`${'x'.repeat(199)}…`);
    expect(text.length).toBeLessThan(300);
  });
});

describe('a hostile name', () => {
  it.each([
    ['**x** [a](b)\n<c>', '\\*\\*x\\*\\* \\[a\\]\\(b) &lt;c&gt;'],
    ['https://evil.example www.evil.example', 'https\\://evil.example www\\.evil.example'],
    ['@everyone &lt; %%%', '\\@everyone &amp;lt; \\%\\%\\%'],
    ['a\u0000\u202Eb\u200Bc\u2028d', 'a b c d'],
    ['\ud800', '\ufffd'],
  ])('%j is escaped', (name, escaped) => {
    expect(eventMarkdown(event({ ...bare, featureName: name }))).toBe(`**ada** created **${escaped}**`);
  });

  const part = fc.oneof(
    fc.constantFrom(...'*_`~[]()<>&#|\\!%$@:/.- '.split(''), '**', '](', '<!--', '&#42;', 'http://', 'www.', '\n', 'a'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
  const name = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''));

  it('is parsed as Markdown to exactly the name, without other formatting', () => {
    fc.assert(
      fc.property(name, name, name, (createdBy, featureName, project) => {
        const hostile = event({ createdBy, featureName, project });
        for (const address of [null, base]) {
          const seen = read(lexer(eventMarkdown(hostile, address), { gfm: true }));
          expect(seen.text).toBe(plainText(eventText(hostile)));
          for (const link of seen.links) expect(link.startsWith(`${base}/projects/`)).toBe(true);
          expect(seen.kinds.filter((kind) => !readable.has(kind))).toEqual([]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const readable = new Set(['paragraph', 'text', 'strong', 'link', 'escape']);

/** The visible text, the links and the kinds of tokens. A mailto link counts as text. */
function read(tokens: Token[]): { text: string; links: string[]; kinds: string[] } {
  const seen = { text: '', links: [] as string[], kinds: [] as string[] };
  for (const token of tokens) {
    seen.kinds.push(token.type);
    if (token.type === 'link' && !token.href.startsWith('mailto:')) seen.links.push(token.href);
    if ('tokens' in token && token.tokens) {
      const inner = read(token.tokens);
      seen.text += inner.text;
      seen.links.push(...inner.links);
      seen.kinds.push(...inner.kinds);
    } else if ('text' in token) seen.text += unescaped(token.text);
  }
  return seen;
}

function unescaped(text: string): string {
  return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
}
