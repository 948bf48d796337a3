import { useQueryClient } from '@tanstack/react-query';
import { sayDone } from '../ui/toasts.tsx';

/** After a write: says what was done, and reads again what begins with the key. */
export function useReadAgain(...key: string[]): (done?: string) => void {
  const queries = useQueryClient();
  return (done) => {
    if (done !== undefined) sayDone(done);
    void queries.invalidateQueries({ queryKey: key });
  };
}
