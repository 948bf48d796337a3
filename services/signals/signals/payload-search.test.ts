import { payloadSearchSchema } from '@yardarm/shared/contracts/signals';
import { describe, expect, it } from 'vitest';
import { readPayloadSearch } from './payload-search.ts';

describe('a search in payloads', () => {
  it.each([
    ['status=firing', ['status'], ['"firing"'], ['{"status":"firing"}']],
    ['labels.severity=critical', ['labels', 'severity'], ['"critical"'], ['{"labels":{"severity":"critical"}}']],
    ['alerts[0].status=up', ['alerts', '0', 'status'], ['"up"'], ['{"alerts":[{"status":"up"}]}']],
    ['[2][03]=x', ['2', '3'], ['"x"'], ['[["x"]]']],
    ['labels["a.b/c"].d=x', ['labels', 'a.b/c', 'd'], ['"x"'], ['{"labels":{"a.b/c":{"d":"x"}}}']],
    ['["say \\"hi\\" \\\\"]=x', ['say "hi" \\'], ['"x"'], ['{"say \\"hi\\" \\\\":"x"}']],
    ['[""]=x', [''], ['"x"'], ['{"":"x"}']],
    ['cpu=97.5', ['cpu'], ['"97.5"', '97.5'], ['{"cpu":"97.5"}', '{"cpu":97.5}']],
    ['n=1e400', ['n'], ['"1e400"', '1e400'], ['{"n":"1e400"}', '{"n":1e400}']],
    ['ok=true', ['ok'], ['"true"', 'true'], ['{"ok":"true"}', '{"ok":true}']],
    ['gone=null', ['gone'], ['"null"', 'null'], ['{"gone":"null"}', '{"gone":null}']],
    ['n=1e2000', ['n'], ['"1e2000"'], ['{"n":"1e2000"}']],
    ['n=007', ['n'], ['"007"'], ['{"n":"007"}']],
    ['a b=c=d', ['a b'], ['"c=d"'], ['{"a b":"c=d"}']],
    ['a=', ['a'], ['""'], ['{"a":""}']],
    ['a=x\ny', ['a'], ['"x\\ny"'], ['{"a":"x\\ny"}']],
  ])('of %j reads path and value', (text, path, values, within) => {
    expect(readPayloadSearch(text)).toEqual({ path, values, within });
  });

  it.each([
    '',
    'status',
    '=x',
    '.a=x',
    'a.=x',
    'a..b=x',
    'a[=x',
    'a[]=x',
    'a[-1]=x',
    'a[b]=x',
    'a[0]b=x',
    'a["b]=x',
    'a["\\n"]=x',
    'a[10000000]=x',
    'a\u0000=x',
    'a=\ud800',
    `a${'[0]'.repeat(1_000_000)}=x`,
    `${'a.'.repeat(600)}a=x`,
  ])('of another form is refused', (text) => {
    expect(payloadSearchSchema.safeParse(text).success).toBe(false);
  });
});
