import { describe, expect, test } from 'vitest';
import { usageBounds } from '../usage.ts';
import { ApplicationRoom, type Candidate, type TokenRoom } from './room.ts';

const bounds = {
  ...usageBounds,
  ...{ applications: 6, applicationsOfToken: 4, frontendApplications: 4, frontendApplicationsOfToken: 2 },
};
const client = (tokenId: number | null, environment = 'production') => ({ environment, tokenId, isFrontend: false });
const frontend = (tokenId: number, environment = 'production') => ({ environment, tokenId, isFrontend: true });
const named = (of: Omit<Candidate, 'name'>, ...names: string[]): Candidate[] => names.map((name) => ({ name, ...of }));
const roomOf = (...rooms: TokenRoom[]) => new ApplicationRoom(rooms, bounds);
const namesOf = (candidates: readonly Candidate[]) => candidates.map(({ name }) => name).join('');

describe('the room of applications', () => {
  test.each<[string, TokenRoom[], Candidate[], string, string]>([
    ['a client token has its share', [], named(client(1), 'a', 'b', 'c', 'd', 'e'), 'abcd', 'e'],
    ['a frontend token has a smaller share', [], named(frontend(1), 'a', 'b', 'c'), 'ab', 'c'],
    ['what a token has counts', [{ ...client(1), size: 3 }], named(client(1), 'a', 'b'), 'a', 'b'],
    ['what another token has does not', [{ ...client(2), size: 4 }], named(client(1), 'a', 'b'), 'ab', ''],
    ['until the room is full', [{ ...client(2), size: 4 }], named(client(1), 'a', 'b', 'c'), 'ab', 'c'],
    ['frontends take no room of clients', [{ ...frontend(2), size: 4 }], named(client(1), 'a', 'b'), 'ab', ''],
    [
      'one without a token has the whole room',
      [],
      named(client(null), 'a', 'b', 'c', 'd', 'e', 'f', 'g'),
      'abcdef',
      'g',
    ],
    [
      'one of a token that has no room takes none of the next',
      [{ ...client(1), size: 4 }],
      [...named(client(1), 'a', 'b', 'c'), ...named(client(2), 'd')],
      'd',
      'abc',
    ],
  ])('%s', (_title, rooms, candidates, expectedPlaced, expectedWaiting) => {
    const { placed, waiting } = roomOf(...rooms).place(candidates);
    expect([namesOf(placed), namesOf(waiting)]).toEqual([expectedPlaced, expectedWaiting]);
  });

  test('of several candidates the first client token with room has it', () => {
    const candidates = [...named(frontend(3), 'a'), ...named(client(2), 'a'), ...named(client(1, 'development'), 'a')];
    expect(roomOf().place(candidates).placed).toEqual(named(client(1, 'development'), 'a'));
    const full = { ...client(1, 'development'), size: 4 };
    expect(roomOf(full).place(candidates).placed).toEqual(named(client(2), 'a'));
    const { placed } = roomOf(full, { ...client(2), size: 4 }).place(candidates);
    expect(placed).toEqual(named(frontend(3), 'a'));
  });

  test.each<[string, TokenRoom[], Candidate[], object[]]>([
    [
      'a token at its share replaces its own',
      [{ ...client(1), size: 4 }],
      named(client(1), 'a', 'b'),
      [{ from: client(1), isOfToken: true, count: 2 }],
    ],
    [
      'at most as many as its share',
      [{ ...client(1), size: 4 }],
      named(client(1), 'a', 'b', 'c', 'd', 'e'),
      [{ from: client(1), isOfToken: true, count: 4 }],
    ],
    [
      'a token within its share replaces those of the room, up to its share',
      [
        { ...client(2), size: 3 },
        { ...client(1), size: 3 },
      ],
      named(client(1), 'a', 'b'),
      [{ from: client(1), isOfToken: false, count: 1 }],
    ],
    [
      'one without a token replaces those of the room',
      [{ ...client(null), size: 6 }],
      named(client(null), 'a', 'b'),
      [{ from: client(null), isOfToken: false, count: 2 }],
    ],
  ])('%s', (_title, rooms, candidates, expected) => {
    const room = roomOf(...rooms);
    expect(room.toReplace(room.place(candidates).waiting)).toEqual(expected);
  });
});
