import { lazyRouteComponent, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { basePath } from '../api/client.ts';
import { Failed, Loading } from '../ui/shown.tsx';

/** A file of the console could not be loaded: a newer build has replaced it, or no answer came. */
class MissingPart extends Error {
  override name = 'MissingPart';
}

/** How browsers, and vite for a style, begin the message of an import without a file. */
const messages = [
  'Failed to fetch dynamically imported module',
  'error loading dynamically imported module',
  'Importing a module script failed',
  'Unable to preload CSS',
];

export const isMissingPart = (error: unknown): error is Error =>
  error instanceof MissingPart || (error instanceof Error && messages.some((text) => error.message.startsWith(text)));

/**
 * The component of a page, loaded when it is shown. The router's own handling would reload the page for a missing file
 * also when there is no network, and lose it.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((error) => {
        throw new MissingPart(String(error));
      }),
    name,
  );

/**
 * In place of a page that lacks a file. The files of a build are gone once a newer one is installed, so it reloads
 * once. Without an answer of the server the rest of the page stays.
 */
export function PartIsMissing({ error }: { error: Error }) {
  const router = useRouter();
  const [stays, setStays] = useState(false);
  useEffect(() => {
    void reloadFor(error.message).then((reloads) => setStays(!reloads));
  }, [error]);
  if (!stays) return <Loading />;
  const said = new Error(
    'This page could not be loaded. The server gave no answer, or a new version is being installed.',
  );
  return <Failed error={said} retry={() => router.invalidate()} />;
}

const storageKey = 'yardarm-reloaded-for';

/** A page that has just been reloaded for a part, and still lacks it, is not reloaded for it again. */
const againAfterMs = 60_000;

async function reloadFor(part: string): Promise<boolean> {
  const [before, at] = JSON.parse(sessionStorage.getItem(storageKey) ?? '["", 0]') as [string, number];
  if (before === part && Date.now() - at < againAfterMs) return false;
  const index = await fetch(`${basePath}/`, { cache: 'no-store' }).catch(() => null);
  if (!index?.ok) return false;
  sessionStorage.setItem(storageKey, JSON.stringify([part, Date.now()]));
  location.reload();
  return true;
}
