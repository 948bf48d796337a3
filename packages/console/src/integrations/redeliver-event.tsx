import { useMutation } from '@tanstack/react-query';
import { api, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { Button } from '../ui/button.tsx';
import { sayDone } from '../ui/toasts.tsx';
import type { Integration } from './draft.ts';
import type { Outcome } from './outcome-words.ts';
import { useReadAgain } from './use-save-integration.ts';

/** Why nothing can be sent to an integration, as a sentence. */
export function useNotSendable({ enabled }: Integration): string | null {
  const missing = useMissing()('UPDATE_ADDON');
  return missing ?? (enabled ? null : 'The integration is off, so nothing can be sent to it.');
}

interface Props {
  integration: Integration;
  outcome: Outcome;
}

/** Sends one event again. */
export function RedeliverEvent({ integration, outcome: { id: eventId, event } }: Props) {
  const offBecause = useNotSendable(integration);
  const readAgain = useReadAgain();
  const send = useMutation({
    mutationFn: () =>
      write(() =>
        api.POST('/api/admin/addons/{id}/events/{eventId}/redeliver', {
          params: { path: { id: String(integration.id), eventId } },
        }),
      ),
    onSuccess: ({ redelivered }) =>
      sayDone(redelivered === 0 ? `Event ${event.id} is being sent already.` : `Event ${event.id} is sent again.`),
    onError: (error) => sayNotDone(`event ${event.id}`, 'sent again', error),
    onSettled: readAgain,
  });
  return (
    <Button offBecause={offBecause} isBusy={send.isPending} onClick={() => send.mutate()}>
      Send again<span className="visually-hidden"> event {event.id}</span>
    </Button>
  );
}
