import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { bannersQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { isSafeAddress } from '../ui/inline-markdown.ts';
import { MarkdownText, SafeLink } from '../ui/markdown-text.tsx';
import styles from './banners.module.css';

type Banner = Schemas['bannerSchema'];

/** Says in words what the colour of a banner says. */
const kinds: Record<Banner['variant'], string> = {
  info: 'Information',
  warning: 'Warning',
  error: 'Problem',
  success: 'Good news',
};

/** What administrators tell everybody, above each page. */
export function Banners() {
  const { data } = useQuery(bannersQuery);
  return data?.filter(({ enabled }) => enabled).map((banner) => <BannerBar key={banner.id} banner={banner} />);
}

/** A banner as everybody sees it. */
export function BannerBar({ banner }: { banner: Banner }) {
  const { message, variant, sticky, dialog } = banner;
  const [isOpen, setOpen] = useState(false);
  return (
    <aside
      className={styles.banner}
      data-variant={variant}
      data-sticky={sticky || undefined}
      aria-label={kinds[variant]}
    >
      <strong>{kinds[variant]}</strong>
      <span className={styles.message}>
        <MarkdownText source={message} />
      </span>
      <BannerLink banner={banner} onOpen={() => setOpen(true)} />
      {dialog !== null && (
        <Dialog title={banner.dialogTitle ?? kinds[variant]} isOpen={isOpen} onClose={() => setOpen(false)}>
          {dialog.split(/\n\s*\n/).map((paragraph) => (
            <p key={paragraph}>
              <MarkdownText source={paragraph} />
            </p>
          ))}
        </Dialog>
      )}
    </aside>
  );
}

function BannerLink({ banner: { link, linkText }, onOpen }: { banner: Banner; onOpen: () => void }) {
  if (link === null) return null;
  const text = linkText || 'More';
  if (link === 'dialog') {
    return (
      <Button look="quiet" onClick={onOpen}>
        {text}
      </Button>
    );
  }
  return isSafeAddress(link) && <SafeLink to={link} text={text} />;
}
