import './app/tokens.css';
import './app/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { CrashBoundary } from './app/crashed.tsx';
import { applyTheme } from './app/theme.ts';

// Until here start-1.js answers for the files of the page.
document.documentElement.dataset.isStarted = '';
applyTheme();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <CrashBoundary>
      <App />
    </CrashBoundary>
  </StrictMode>,
);
