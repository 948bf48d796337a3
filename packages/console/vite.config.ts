import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { buildOptions } from './options.ts';

const { outDir, gatewayUrl } = buildOptions();

export default defineConfig({
  root: import.meta.dirname,
  // The gateway replaces the dots in index.html with its base path. Scripts find each other by their own address.
  base: './',
  plugins: [react()],
  build: {
    outDir,
    emptyOutDir: true,
    // The policy forbids inline styles, so no preload helper may insert one, and no image is a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // What every page needs is one file: over HTTP/1.1 a browser asks for six files at a time.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/auth', '/logout', '/docs'].map((path) => [path, { target: gatewayUrl }])),
  },
});
