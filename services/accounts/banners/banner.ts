import { type Banner, maxBanners } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';

/** What an administrator chooses of a banner. */
export type BannerDefinition = Omit<Banner, 'id' | 'createdAt'>;

export interface StoredBanner extends BannerDefinition {
  id: number;
  createdAt: Date;
}

/** As in answers; events have the same. */
export function toBanner(stored: StoredBanner): Banner {
  return { ...stored, createdAt: stored.createdAt.toISOString() };
}

export function isSameDefinition(stored: StoredBanner, requested: Partial<BannerDefinition>): boolean {
  return (Object.keys(requested) as (keyof BannerDefinition)[]).every((key) => stored[key] === requested[key]);
}

export function requireBelowBannerLimit(count: number): void {
  if (count < maxBanners) return;
  throw new AppError(
    'limit-exceeded',
    `There are already ${count} banners; there can be at most ${maxBanners}. Delete one.`,
  );
}

export function bannerNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the banner with ID "${id}".`);
}

export function bannerOrderingKey(id: number): string {
  return `banner:${id}`;
}
