import type { UsageBounds } from '../usage.ts';

/** An application in one of the environments that reported it, with the token that did. */
export interface Candidate {
  name: string;
  environment: string;
  /** Null from a gateway of the release before. */
  tokenId: number | null;
  isFrontend: boolean;
}

type Room = Omit<Candidate, 'name'>;

/** The applications that one token made in an environment. */
export type TokenRoom = Room & { size: number };

/** The room of an environment: one for client tokens, one for frontend tokens, and the shares of tokens in both. */
export class ApplicationRoom {
  readonly #bounds: UsageBounds;
  readonly #sizes = new Map<string, number>();

  constructor(rooms: readonly TokenRoom[], bounds: UsageBounds) {
    this.#bounds = bounds;
    for (const { size, ...room } of rooms) this.#add(room, size);
  }

  /**
   * Places each application in the room of its first candidate that has some, those of client tokens first. Returns the
   * placed ones, and the first candidate of each other one.
   */
  place(candidates: readonly Candidate[]): { placed: Candidate[]; waiting: Candidate[] } {
    const placed: Candidate[] = [];
    const waiting: Candidate[] = [];
    for (const ofName of Map.groupBy(candidates.toSorted(byPreference), ({ name }) => name).values()) {
      const found = ofName.find((candidate) => this.#lacks(candidate) === null);
      if (found) this.#add(found, 1);
      if (found) placed.push(found);
      else waiting.push(ofName[0]!);
    }
    return { placed, waiting };
  }

  /**
   * What has to leave so that waiting ones find room: of each token at its share as many of its own, else as many of
   * the environment as the share of the token has left.
   */
  toReplace(waiting: readonly Candidate[]): { from: Room; isOfToken: boolean; count: number }[] {
    const groups = Map.groupBy(waiting, (candidate) => `${roomOf(candidate)} ${candidate.tokenId}`);
    return [...groups.values()].map((group) => {
      const { name: _, ...room } = group[0]!;
      const isOfToken = this.#lacks(room) === 'share';
      const most = isOfToken ? this.#share(room) : this.#share(room) - this.#size(shareOf(room));
      return { from: room, isOfToken, count: Math.min(group.length, room.tokenId === null ? group.length : most) };
    });
  }

  remove(room: Room): void {
    this.#add(room, -1);
  }

  #lacks(room: Room): 'share' | 'room' | null {
    if (room.tokenId !== null && this.#size(shareOf(room)) >= this.#share(room)) return 'share';
    const { applications, frontendApplications } = this.#bounds;
    return this.#size(roomOf(room)) >= (room.isFrontend ? frontendApplications : applications) ? 'room' : null;
  }

  #share({ isFrontend }: { isFrontend: boolean }): number {
    return isFrontend ? this.#bounds.frontendApplicationsOfToken : this.#bounds.applicationsOfToken;
  }

  #size(key: string): number {
    return this.#sizes.get(key) ?? 0;
  }

  #add(room: Room, count: number): void {
    for (const key of [roomOf(room), shareOf(room)]) this.#sizes.set(key, this.#size(key) + count);
  }
}

function roomOf({ environment, isFrontend }: Room): string {
  return JSON.stringify([environment, isFrontend]);
}

function shareOf({ environment, isFrontend, tokenId }: Room): string {
  return JSON.stringify([environment, isFrontend, tokenId]);
}

function byPreference(a: Candidate, b: Candidate): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.isFrontend !== b.isFrontend) return a.isFrontend ? 1 : -1;
  return a.environment < b.environment ? -1 : 1;
}
