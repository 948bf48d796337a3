import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Banner } from '../../api/admin-queries.ts';
import { api, type Schemas, write } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useReadAgain } from '../use-read-again.ts';

const names = ['message', 'link', 'linkText', 'dialogTitle', 'dialog'] as const;

type Draft = Required<Omit<Schemas['createBannerSchema'], 'icon' | (typeof names)[number]>> &
  Record<(typeof names)[number], string>;

/** What a person edits of a banner, or of a new one. */
export function draftOf(banner: Banner | undefined): Draft {
  return {
    message: banner?.message ?? '',
    enabled: banner?.enabled ?? true,
    variant: banner?.variant ?? 'info',
    sticky: banner?.sticky ?? false,
    link: banner?.link ?? '',
    linkText: banner?.linkText ?? '',
    dialogTitle: banner?.dialogTitle ?? '',
    dialog: banner?.dialog ?? '',
  };
}

/** A banner; a new one unless given. */
export function BannerForm({ banner, onClose }: { banner?: Banner; onClose: () => void }) {
  const readAgain = useReadAgain('banners');
  const [draft, setDraft] = useState(() => draftOf(banner));
  const save = useMutation<unknown>({
    mutationFn: () => {
      const { link, linkText, dialogTitle, dialog, ...rest } = draft;
      const body = {
        ...rest,
        icon: banner?.icon ?? null,
        link: link || null,
        linkText: linkText || null,
        dialogTitle: dialogTitle || null,
        dialog: dialog || null,
      };
      if (banner === undefined) return write(() => api.POST('/api/admin/banners', { body }));
      return write(() => api.PUT('/api/admin/banners/{id}', { params: { path: { id: `${banner.id}` } }, body }));
    },
    onSuccess() {
      readAgain(banner === undefined ? 'The banner was made.' : 'The banner was changed.');
      onClose();
    },
  });
  const text = (name: (typeof names)[number], label: string, hint?: string) => ({
    label,
    ...(hint !== undefined && { hint }),
    error: fieldError(save.error, name),
    value: draft[name],
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  });
  return (
    <FormDialog
      title={banner === undefined ? 'New banner' : 'Edit the banner'}
      submit={banner === undefined ? 'Make banner' : 'Save'}
      mutation={save}
      names={names}
      onClose={onClose}
    >
      <TextAreaField
        {...text('message', 'Message', '**bold** and [links](https://…) may be in it.')}
        required
        maxLength={1000}
      />
      <SelectField
        label="Kind"
        value={draft.variant}
        onChange={(event) => setDraft({ ...draft, variant: event.target.value as Draft['variant'] })}
      >
        {['info', 'warning', 'error', 'success'].map((variant) => (
          <option key={variant}>{variant}</option>
        ))}
      </SelectField>
      <TextField {...text('link', 'Link', 'An address of https, a path such as /features, or dialog.')} />
      <TextField {...text('linkText', 'Text of the link')} />
      {draft.link === 'dialog' && (
        <>
          <TextField {...text('dialogTitle', 'Title of the dialog')} />
          <TextAreaField {...text('dialog', 'Text of the dialog')} maxLength={10_000} />
        </>
      )}
      <CheckField
        label="Stays in sight while a page scrolls"
        checked={draft.sticky}
        onChange={(event) => setDraft({ ...draft, sticky: event.target.checked })}
      />
      <CheckField
        label="Everybody sees it now"
        checked={draft.enabled}
        onChange={(event) => setDraft({ ...draft, enabled: event.target.checked })}
      />
    </FormDialog>
  );
}
