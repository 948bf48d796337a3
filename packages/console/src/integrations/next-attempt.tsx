import { Time } from '../ui/time.tsx';

/** When something is sent next. What is due is sent now. */
export function NextAttempt({ at }: { at: string }) {
  return Date.parse(at) <= Date.now() ? 'now' : <Time at={at} />;
}
