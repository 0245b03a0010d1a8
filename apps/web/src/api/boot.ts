/** What public/boot.js started before this bundle was there. It is the only one that asks for config and license. */
type Boot = {
  config: Promise<Response>
  /** The first answer; asked for LICENSE_DELAY_MS after the start. */
  license: Promise<Response>
  fetchLicense: () => Promise<Response>
}

declare global {
  interface Window {
    __boot: Boot
  }
}

export const boot = (): Boot => window.__boot
