import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, write } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { uiConfigQuery } from '../../api/queries.ts';
import { useMissing } from '../../app/session.ts';
import { TextAreaField } from '../../ui/field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/section.tsx';
import { SubmitButton } from '../../ui/send-again.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import styles from '../admin.module.css';

/** The pages that may use the frontend API, by their origins. */
export function CorsForm({ origins, onSaved }: { origins: readonly string[]; onSaved: () => void }) {
  const missing = useMissing()('UPDATE_CORS');
  const queries = useQueryClient();
  const [text, setText] = useState(origins.join('\n'));
  const save = useMutation({
    mutationFn: (sent: string) =>
      write(() => api.POST('/api/admin/ui-config/cors', { body: { frontendApiOrigins: originsIn(sent) } })),
    async onSuccess(_, sent) {
      // What was typed while it was saved stays.
      setText((now) => (now === sent ? originsIn(sent).join('\n') : now));
      await queries.invalidateQueries({ queryKey: uiConfigQuery.queryKey });
      sayDone('The origins were changed.');
      onSaved();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(text);
  };
  return (
    <Section title="CORS origins" hint="Browsers let pages of these origins use the frontend API.">
      <form className={styles.stack} onSubmit={submit}>
        <LeaveGuard isDirty={originsIn(text).join() !== origins.join()} />
        <TextAreaField
          label="Origins"
          hint="One on each line, such as https://shop.example.com. A single * is every origin."
          error={save.error === null ? undefined : said(save.error)}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div>
          <SubmitButton mutation={save} offBecause={missing}>
            Save origins
          </SubmitButton>
        </div>
      </form>
    </Section>
  );
}

const originsIn = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Each refused origin has a message of its own. */
function said(error: Error): string {
  const details = error instanceof Problem ? error.details.map(({ message }) => message) : [];
  return details.length > 0 ? details.join(' ') : error.message;
}
