/** What public/boot.js started before this bundle was loaded. Only boot.js requests the config and the license. */
type Boot = {
  config: Promise<Response>
  /** The first response, requested LICENSE_DELAY_MS after the start. */
  license: Promise<Response>
  fetchLicense: () => Promise<Response>
}

declare global {
  interface Window {
    __boot: Boot
  }
}

export const boot = (): Boot => window.__boot
