import { useQuery } from '@tanstack/react-query';
import { type EventRange, redeliverableQuery } from '../api/queries.ts';

interface Redeliverable {
  /** How many deliveries of the range can be sent again; null while that is not known. */
  count: number | null;
  /** Why it is not known, as a sentence. */
  complaint: string | null;
}

const isEventId = (id: number) => Number.isSafeInteger(id) && id >= 1;

export function useRedeliverable(integrationId: number, range: EventRange): Redeliverable {
  const { from, to } = range;
  const complaint = complaintOf(from, to);
  const { data, error } = useQuery({ ...redeliverableQuery(integrationId, range), enabled: complaint === null });
  if (complaint !== null) return { count: null, complaint };
  return { count: data?.redeliverable ?? null, complaint: error?.message ?? null };
}

function complaintOf(from: number, to: number): string | null {
  if (!isEventId(from) || !isEventId(to)) return 'Both ends are whole numbers from 1.';
  return from > to ? 'The first event is not after the last one.' : null;
}
