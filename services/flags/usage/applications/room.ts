import type { UsageBounds } from '../usage.ts';

/** An application in one of the environments that reported it, with the token that did. */
export interface Candidate {
  name: string;
  environment: string;
  /** Null from a gateway of the release before. */
  tokenId: number | null;
  isFrontend: boolean;
}

/** The applications that one token made in an environment. */
export type TokenRoom = Omit<Candidate, 'name'> & { size: number };

/** The room of an environment: one for client tokens, one for frontend tokens, and the shares of tokens in both. */
export class ApplicationRoom {
  readonly #bounds: UsageBounds;
  readonly #sizes = new Map<string, number>();

  constructor(rooms: readonly TokenRoom[], bounds: UsageBounds) {
    this.#bounds = bounds;
    for (const { size, ...of } of rooms) this.#add(of, size);
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
  toReplace(waiting: readonly Candidate[]): { of: Omit<Candidate, 'name'>; ofToken: boolean; count: number }[] {
    const groups = Map.groupBy(waiting, (candidate) => `${roomOf(candidate)} ${candidate.tokenId}`);
    return [...groups.values()].map((group) => {
      const { name: _, ...of } = group[0]!;
      const ofToken = this.#lacks(of) === 'share';
      const most = ofToken ? this.#share(of) : this.#share(of) - this.#size(shareOf(of));
      return { of, ofToken, count: Math.min(group.length, of.tokenId === null ? group.length : most) };
    });
  }

  remove(of: Omit<Candidate, 'name'>): void {
    this.#add(of, -1);
  }

  #lacks(of: Omit<Candidate, 'name'>): 'share' | 'room' | null {
    if (of.tokenId !== null && this.#size(shareOf(of)) >= this.#share(of)) return 'share';
    const { applications, frontendApplications } = this.#bounds;
    return this.#size(roomOf(of)) >= (of.isFrontend ? frontendApplications : applications) ? 'room' : null;
  }

  #share({ isFrontend }: { isFrontend: boolean }): number {
    return isFrontend ? this.#bounds.frontendApplicationsOfToken : this.#bounds.applicationsOfToken;
  }

  #size(key: string): number {
    return this.#sizes.get(key) ?? 0;
  }

  #add(of: Omit<Candidate, 'name'>, count: number): void {
    for (const key of [roomOf(of), shareOf(of)]) this.#sizes.set(key, this.#size(key) + count);
  }
}

function roomOf({ environment, isFrontend }: Omit<Candidate, 'name'>): string {
  return JSON.stringify([environment, isFrontend]);
}

function shareOf({ environment, isFrontend, tokenId }: Omit<Candidate, 'name'>): string {
  return JSON.stringify([environment, isFrontend, tokenId]);
}

function byPreference(a: Candidate, b: Candidate): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.isFrontend !== b.isFrontend) return a.isFrontend ? 1 : -1;
  return a.environment < b.environment ? -1 : 1;
}
