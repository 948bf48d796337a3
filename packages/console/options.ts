/** The folder that the build writes, and the gateway that `npm run console` passes requests on to. */
export function buildOptions() {
  return {
    outDir: process.env.CONSOLE_OUT_DIR ?? 'dist',
    gatewayUrl: process.env.GATEWAY_URL ?? 'http://127.0.0.1:4242',
  };
}
