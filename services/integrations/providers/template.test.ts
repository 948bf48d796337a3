import fc from 'fast-check';
import Mustache from 'mustache';
import { describe, expect, it } from 'vitest';
import { fillTemplate, TemplateError, templateError } from './template.ts';

const asIs = (text: string) => text;
const view = {
  name: 'a<b',
  count: 3,
  no: false,
  yes: true,
  nothing: null,
  none: [],
  list: [1, '', { name: 'inner', tags: ['x', 'y'] }],
  deep: { name: 'deep', nothing: null, list: [[1, 2], [3]], other: { count: 0 } },
};

describe('a template', () => {
  it('is filled like Mustache does', () => {
    const name = fc
      .constantFrom('name', 'count', 'no', 'yes', 'nothing', 'none', 'list', 'deep', 'deep.list', '.', 'x.y')
      .chain((one) => fc.constantFrom(one, one, `deep.${one}`, `deep.other.${one}`));
    const { template } = fc.letrec<{ template: string; part: string }>((tie) => ({
      template: fc.array(tie('part'), { maxLength: 6 }).map((parts) => parts.join('')),
      part: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('text', ' ', '\n', '{{! no }}', '{{>partial}}', '{{=<% %>=}}<%name%><%={{ }}=%>', '}', '{'),
        fc.tuple(fc.constantFrom('{{', '{{&', '{{ '), name).map(([open, one]) => `${open}${one}}}`),
        name.map((one) => `{{{${one}}}}`),
        fc
          .tuple(fc.constantFrom('#', '^'), name, tie('template'))
          .map(([symbol, one, within]) => `{{${symbol}${one}}}${within}{{/${one}}}`),
      ),
    }));
    const escaped = (text: unknown) => String(text).replaceAll('<', '&lt;');
    fc.assert(
      fc.property(template, (text) => {
        fc.pre(templateError(text) === null);
        expect(fillTemplate(text, view, escaped)).toBe(Mustache.render(text, view, {}, { escape: escaped }));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    'constructor',
    'constructor.keys',
    'toString',
    '__proto__',
    '__defineGetter__',
    'name.constructor',
    'list.map',
    'list.constructor.from',
    'deep.__proto__',
    'deep.hasOwnProperty',
  ])('does not resolve {{%s}}, which only JavaScript has', (name) => {
    expect(fillTemplate(`[{{${name}}}{{{${name}}}}{{#${name}}}x{{/${name}}}]`, view, asIs)).toBe('[]');
  });

  it('resolves no name in a null of a list', () => {
    expect(fillTemplate('{{#list}}[{{name}}{{x}}{{.}}]{{/list}}', { list: [null, 1], name: 'a' }, asIs)).toBe(
      '[a][a1]',
    );
  });

  it('ignores toString, valueOf and toJSON of values', () => {
    const hostile = JSON.parse(
      '{"a":{"toString":1,"__proto__":{"valueOf":2}},"b":[{"toJSON":1},[{"join":1}]],"constructor":"mine"}',
    );
    expect(
      fillTemplate('{{a}} {{b}} {{constructor}} {{#a}}{{toString}}{{__proto__.valueOf}}{{/a}}', hostile, asIs),
    ).toBe('[object Object] [object Object],[object Object] mine 12');
  });
});

describe('a template is refused', () => {
  const items = { list: Array.from({ length: 59 }, (_, index) => `item ${index}`) };
  const nested = (depth: number, within = '') => `${'{{#list}}'.repeat(depth)}${within}${'{{/list}}'.repeat(depth)}`;

  it.each([
    ['lists within lists', nested(7), items, /takes more than 50000 steps/],
    ['a list without end', '{{#list}}{{/list}}', { list: Array.from({ length: 60_000 }, () => 1) }, /steps/],
    ['a long list as text', '{{list}}', { list: Array.from({ length: 60_000 }, () => '') }, /steps/],
    ['names that are looked for far out', nested(2, '{{a}}'.repeat(100)), items, /steps/],
    [
      'a text that is long',
      '{{{text}}}{{{text}}}{{{text}}}',
      { text: 'x'.repeat(1_000_000) },
      /makes more than 2000000/,
    ],
    ['a text that grows when it is escaped', '{{text}}', { text: '<'.repeat(100_000) }, /takes more than 50000/],
  ])('for %s', (_what, template, data, expected) => {
    expect(templateError(template)).toBeNull();
    expect(() => fillTemplate(template, data, (text) => text.replaceAll('<', '&lt;'))).toThrow(expected);
  });

  it.each([
    ['its length', 'x'.repeat(10_001), 'should have at most 10000 characters'],
    ['blanks without end', `{{a${' '.repeat(201)}b}}`, 'should have at most 200 blanks in a row'],
    ['a section left open', '{{#a}}', 'should be a Mustache template; a tag or a section of it is not closed'],
    ['a tag left open', '{{={ }={}', 'should be a Mustache template; a tag or a section of it is not closed'],
  ])('for %s', (_what, template, message) => {
    expect(templateError(template)).toMatchObject({ name: 'TemplateError', message });
    expect(() => fillTemplate(template, {}, asIs)).toThrow(message);
  });

  it('for a text that becomes too long when it is escaped, without escaping all of it', () => {
    const lengths: number[] = [];
    const escapeText = (text: string) => {
      lengths.push(text.length);
      return text.replaceAll('/', '&#x2F;');
    };
    expect(() => fillTemplate('{{text}}', { text: '/'.repeat(900_000) }, escapeText)).toThrow(TemplateError);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(50_001);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(400_000);
    const text = `x${'😀'.repeat(60_000)}`;
    const escapeJson = (part: string) => JSON.stringify(part).slice(1, -1);
    expect(fillTemplate('{{text}}', { text }, escapeJson)).toBe(text);
  });

  it('but not for its depth', () => {
    const deep = `{{=< >=}}${'<#.>'.repeat(1_100)}<b>${'</.>'.repeat(1_100)}`;
    expect(fillTemplate(deep, { b: 1 }, asIs)).toBe('1');
  });
});
