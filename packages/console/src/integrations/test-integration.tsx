import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Failed, Loading } from '../ui/shown.tsx';
import { attemptWords, outcomeLooks, outcomeWords } from './outcome-words.ts';
import styles from './outcomes.module.css';
import { Payload } from './payload.tsx';

/** Sends a harmless event with the saved settings, and shows what came of it. */
export function TestIntegration({ id }: { id: number }) {
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing();
  const test = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/addons/{id}/test', { params: { path: { id: String(id) } } })),
  });
  const send = () => {
    setOpen(true);
    test.mutate();
  };
  return (
    <>
      <Button offBecause={missing('UPDATE_ADDON')} onClick={send}>
        Send a test
      </Button>
      <Dialog title="Test of the saved settings" size="large" isOpen={isOpen} onClose={() => setOpen(false)}>
        {test.isPending && <Loading />}
        {test.error !== null && <Failed error={test.error} />}
        {test.data && (
          <>
            <p className={styles.reason}>
              <Badge look={outcomeLooks[test.data.state].look}>{outcomeLooks[test.data.state].label}</Badge>{' '}
              {outcomeWords(test.data)}
            </p>
            <p className={styles.quiet}>{attemptWords({ ...test.data, errorCode: null })}. Nothing was stored.</p>
            <Payload details={test.data.details} event={test.data.event} />
          </>
        )}
        <DialogActions>
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send again
          </Button>
          <Button look="primary" onClick={() => setOpen(false)}>
            Close
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
