import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { sayProblem } from '../../ui/toasts.tsx';

/** Saves who has access to what. A link cannot ask for CSV, which the API answers by the accept header alone. */
export function ExportAccess({ offBecause }: { offBecause: string | null }) {
  const run = useMutation({
    mutationFn: (): Promise<unknown> =>
      answer(api.GET('/api/admin/access/overview', { headers: { accept: 'text/csv' }, parseAs: 'text' })),
    onSuccess: (text) => saveFile('access.csv', 'text/csv', String(text)),
    onError: (error) => sayProblem('The access was not exported.', error),
  });
  return (
    <Button isBusy={run.isPending} offBecause={offBecause} onClick={() => run.mutate()}>
      Export CSV
    </Button>
  );
}
