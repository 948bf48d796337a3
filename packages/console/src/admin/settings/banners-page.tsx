import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Banner } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { bannersQuery } from '../../api/queries.ts';
import { useMissing } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EditedInDialog } from '../../ui/edited.tsx';
import { MarkdownText } from '../../ui/markdown-text.tsx';
import { Row, Rows } from '../../ui/rows.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { AdminPage } from '../admin-page.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { BannerForm, draftOf } from './banner-form.tsx';
import { BannerSwitch } from './banner-switch.tsx';

/** What everybody is told above each page. */
export function BannersPage() {
  const missing = useMissing()('UPDATE_INSTANCE_BANNERS');
  const query = useQuery(bannersQuery);
  const [isOpen, setOpen] = useState(false);
  return (
    <AdminPage
      title="Banners"
      actions={
        <Button look="primary" onClick={() => setOpen(true)} offBecause={missing}>
          New banner
        </Button>
      }
    >
      <Shown query={query}>
        {(banners) =>
          banners.length === 0 ? (
            <Empty title="There is no banner">
              <p>
                A banner tells everybody something above each page, such as when the service is down for an upgrade.
              </p>
            </Empty>
          ) : (
            <Rows label="Banners">
              {banners.map((banner) => (
                <BannerRow key={banner.id} banner={banner} missing={missing} />
              ))}
            </Rows>
          )
        }
      </Shown>
      {isOpen && <BannerForm onClose={() => setOpen(false)} />}
    </AdminPage>
  );
}

function BannerRow({ banner, missing }: { banner: Banner; missing: string | null }) {
  const [isEdited, setEdited] = useState(false);
  const readAgain = useReadAgain('banners');
  const { id, message, variant } = banner;
  return (
    <Row
      name={
        <>
          <MarkdownText source={message} /> <Badge>{variant}</Badge>
        </>
      }
      end={
        <>
          <BannerSwitch banner={banner} offBecause={missing} />
          <Button look="quiet" onClick={() => setEdited(true)} offBecause={missing}>
            Edit<span className="visually-hidden"> {message}</span>
          </Button>
          <DeleteButton
            what={`the banner ${message.slice(0, 60)}`}
            look="quiet"
            offBecause={missing}
            send={() => write(() => api.DELETE('/api/admin/banners/{id}', { params: { path: { id: `${id}` } } }))}
            onDone={() => readAgain('The banner was deleted.')}
          >
            Nobody sees it from now on.
          </DeleteButton>
          {isEdited && (
            <EditedInDialog what="this banner" now={banner} settingsOf={draftOf}>
              {(before) => <BannerForm banner={before} onClose={() => setEdited(false)} />}
            </EditedInDialog>
          )}
        </>
      }
    />
  );
}
